"""What was said in groups"""

from typing import Final

import sqlalchemy as sa
from alembic import op


revision: Final = '0005'
down_revision: Final = '0004'
branch_labels: Final = None
depends_on: Final = None


def upgrade() -> None:
    """From the revision before to this one."""
    with op.batch_alter_table('outbox', schema=None) as batch_op:
        batch_op.create_index('ix_outbox_said_in_groups', ['channel_id', 'chat_id', 'message_id'], unique=False, sqlite_where=sa.text("chat_kind = 'group'"), postgresql_where=sa.text("chat_kind = 'group'"))
