"""Messages that are being written in chats"""

from typing import Final

import sqlalchemy as sa
from alembic import op


revision: Final = '0011'
down_revision: Final = '0010'
branch_labels: Final = None
depends_on: Final = None


def upgrade() -> None:
    """From the revision before to this one."""
    op.create_table('preview',
    sa.Column('conversation_id', sa.String(), nullable=False),
    sa.Column('turn_seq', sa.BigInteger(), nullable=False),
    sa.Column('message_id', sa.String(), nullable=False),
    sa.Column('words_id', sa.String(), nullable=False),
    sa.Column('opened_at', sa.BigInteger(), nullable=False),
    sa.PrimaryKeyConstraint('conversation_id', 'turn_seq', 'message_id', name=op.f('pk_preview'))
    )
