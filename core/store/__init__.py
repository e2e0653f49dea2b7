"""Everything that is stored: tables, the one writer, migrations, and the rows of each concern. The only place that knows SQL."""
