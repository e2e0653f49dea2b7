import pytest

TWO = """
    import pytest

    def test_plain(): pass

    @pytest.mark.{mark}
    def test_marked(): pass
"""


def test_a_plain_run_leaves_the_groups_out_and_says_so(project: pytest.Pytester) -> None:
    project.makepyfile(TWO.format(mark="slow"))

    run = project.runpytest()

    run.assert_outcomes(passed=1, deselected=1)
    run.stdout.fnmatch_lines(["Left out: 1 slow. `make test-all` runs them too."])


@pytest.mark.parametrize(("groups", "passed", "deselected"), [("all", 2, 0), ("only", 1, 1)])
def test_the_groups_run_when_asked_for(project: pytest.Pytester, groups: str, passed: int, deselected: int) -> None:
    project.makepyfile(TWO.format(mark="slow"))

    run = project.runpytest(f"--groups={groups}")

    run.assert_outcomes(passed=passed, deselected=deselected)


def test_a_mark_expression_of_ones_own_decides(project: pytest.Pytester) -> None:
    project.makepyfile(TWO.format(mark="slow"))

    run = project.runpytest("-m", "slow")

    run.assert_outcomes(passed=1, deselected=1)


def test_what_is_missing_here_skips_with_a_reason(project: pytest.Pytester) -> None:
    project.makepyfile(TWO.format(mark="postgres"))

    run = project.runpytest("--groups=all", "-ra")

    run.assert_outcomes(passed=1, skipped=1)
    run.stdout.fnmatch_lines(["*postgres: CONCH_TEST_POSTGRES_URL is not set*"])


def test_what_is_missing_in_ci_fails(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    project.makepyfile(TWO.format(mark="postgres"))
    monkeypatch.setenv("CI", "true")

    run = project.runpytest("--groups=only")

    assert run.ret == pytest.ExitCode.TESTS_FAILED
    run.stdout.fnmatch_lines(["*CONCH_TEST_POSTGRES_URL is not set*", "Failed: no test of postgres ran*"])


def test_a_test_of_a_group_may_not_skip_itself_in_ci(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    project.makepyfile(
        """
        import pytest

        @pytest.mark.slow
        def test_that_runs(): pass

        @pytest.mark.slow
        def test_that_gives_up(): pytest.skip("no luck")
        """
    )
    monkeypatch.setenv("CI", "true")

    run = project.runpytest("--groups=only")

    run.assert_outcomes(passed=1, failed=1)
    run.stdout.fnmatch_lines(["*no luck*", "*may not skip in CI*"])


def test_a_file_of_a_group_may_not_skip_itself_in_ci(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    project.makepyfile(
        """
        import pytest

        pytestmark = pytest.mark.node
        pytest.importorskip("a_module_that_nobody_has")

        def test_marked(): pass
        """
    )
    monkeypatch.setenv("CI", "true")

    run = project.runpytest("--groups=only")

    assert run.ret != pytest.ExitCode.OK
    run.assert_outcomes(errors=1)


def test_an_expected_failure_of_a_group_stays_expected_in_ci(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.makepyfile(
        """
        import pytest

        @pytest.mark.slow
        @pytest.mark.xfail(strict=True)
        def test_known_to_fail(): assert False
        """
    )
    monkeypatch.setenv("CI", "true")

    run = project.runpytest("--groups=only")

    run.assert_outcomes(xfailed=1)


def test_a_group_deselected_as_a_whole_fails_in_ci(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    project.makepyfile(TWO.format(mark="slow"))
    project.makeconftest(
        """
        import pytest

        @pytest.hookimpl(trylast=True)
        def pytest_collection_modifyitems(items):
            items[:] = [item for item in items if not item.get_closest_marker("slow")]
        """
    )
    monkeypatch.setenv("CI", "true")

    run = project.runpytest("--groups=all")

    assert run.ret == pytest.ExitCode.TESTS_FAILED
    run.stdout.fnmatch_lines(["Failed: no test of slow ran*"])


def test_groups_without_a_test_yet_fail_nothing(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    project.makepyfile("def test_plain(): pass")
    monkeypatch.setenv("CI", "true")

    run = project.runpytest("--groups=only")

    assert run.ret == pytest.ExitCode.OK


def test_a_plain_run_in_ci_leaves_the_groups_to_the_next(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.makepyfile(TWO.format(mark="postgres"))
    monkeypatch.setenv("CI", "true")

    run = project.runpytest()

    assert run.ret == pytest.ExitCode.OK


def test_what_several_processes_leave_out_is_said_all_the_same(project: pytest.Pytester) -> None:
    project.makepyfile(TWO.format(mark="slow"))

    run = project.runpytest_subprocess("-n", "1")

    run.assert_outcomes(passed=1)
    run.stdout.fnmatch_lines(["Left out: the marked groups*"])


def test_groups_that_have_to_run_are_not_spread_over_processes(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.makepyfile(TWO.format(mark="slow"))
    monkeypatch.setenv("CI", "true")

    run = project.runpytest_subprocess("--groups=only", "-n", "1")

    assert run.ret == pytest.ExitCode.USAGE_ERROR
