import pytest


def test_the_list_names_the_tests_of_each_report_and_runs_none(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_it="""
        import pytest

        @pytest.mark.report("R031")
        def test_one(): assert False

        @pytest.mark.slow
        @pytest.mark.report("R023", "R031")
        def test_two(): assert False
        """
    )

    run = project.runpytest("--reports")

    assert run.ret == pytest.ExitCode.OK
    run.stdout.fnmatch_lines(
        [
            "R023",
            "  test_it.py::test_two",
            "R031",
            "  test_it.py::test_one",
            "  test_it.py::test_two",
            "Reports with a test: 2.",
        ],
        consecutive=True,
    )


@pytest.mark.parametrize("arguments", ["", "23", "'R23'", "'R0231'"])
def test_a_mark_without_a_proper_number_stops_the_run(project: pytest.Pytester, arguments: str) -> None:
    project.makepyfile(f"import pytest\n\n@pytest.mark.report({arguments})\ndef test_one(): pass")

    run = project.runpytest()

    assert run.ret == pytest.ExitCode.USAGE_ERROR
