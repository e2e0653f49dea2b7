"""Engines, settings and usage; options that wait on a seat"""

from typing import Final, Literal

import sqlalchemy as sa
from alembic import op


revision: Final = '0006'
down_revision: Final = '0005'
branch_labels: Final = None
depends_on: Final = None


def upgrade() -> None:
    """From the revision before to this one."""
    op.create_table('engine',
    sa.Column('id', sa.String(), nullable=False),
    sa.Column('kind', sa.String(), nullable=False),
    sa.Column('title', sa.String(), nullable=False),
    sa.Column('base_url', sa.String(), nullable=True),
    sa.Column('credentials', sa.String(), nullable=True),
    sa.Column('model', sa.String(), nullable=True),
    sa.Column('created_at', sa.BigInteger(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_engine'))
    )
    op.create_table('setting',
    sa.Column('name', sa.String(), nullable=False),
    sa.Column('value', sa.Text(), nullable=False),
    sa.Column('at', sa.BigInteger(), nullable=False),
    sa.PrimaryKeyConstraint('name', name=op.f('pk_setting'))
    )
    op.create_table('usage',
    sa.Column('day', sa.String(), nullable=False),
    sa.Column('engine', sa.String(), nullable=False),
    sa.Column('model', sa.String(), nullable=False),
    sa.Column('turns', sa.Integer(), nullable=False),
    sa.Column('unpriced', sa.Integer(), nullable=False),
    sa.Column('input', sa.BigInteger(), nullable=False),
    sa.Column('output', sa.BigInteger(), nullable=False),
    sa.Column('cached', sa.BigInteger(), nullable=False),
    sa.Column('cost', sa.Float(), nullable=False),
    sa.PrimaryKeyConstraint('day', 'engine', 'model', name=op.f('pk_usage'))
    )
    # SQLite would append the column to the text of the table, unlike a table that is made anew
    how: Literal['always', 'auto'] = 'always' if op.get_bind().dialect.name == 'sqlite' else 'auto'
    with op.batch_alter_table('seat', schema=None, recreate=how) as batch_op:
        batch_op.add_column(sa.Column('pending_options', sa.Text(), nullable=True))
