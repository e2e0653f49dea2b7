"""What adapters know again after a restart"""

from typing import Final

import sqlalchemy as sa
from alembic import op


revision: Final = '0013'
down_revision: Final = '0011'
branch_labels: Final = None
depends_on: Final = None


def upgrade() -> None:
    """From the revision before to this one."""
    op.create_table('reference',
    sa.Column('channel_id', sa.String(), nullable=False),
    sa.Column('name', sa.String(), nullable=False),
    sa.Column('words', sa.String(), nullable=False),
    sa.PrimaryKeyConstraint('channel_id', 'name', name=op.f('pk_reference'))
    )
