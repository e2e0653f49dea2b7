"""Native menus"""

from typing import Final

import sqlalchemy as sa
from alembic import op


revision: Final = '0004'
down_revision: Final = '0003'
branch_labels: Final = None
depends_on: Final = None


def upgrade() -> None:
    """From the revision before to this one."""
    op.create_table('native_menu',
    sa.Column('channel_id', sa.String(), nullable=False),
    sa.Column('digest', sa.String(), nullable=False),
    sa.PrimaryKeyConstraint('channel_id', name=op.f('pk_native_menu'))
    )
