"""Everything that is stored: tables, the one writer, migrations, rows by concern. The only place that knows SQL."""
