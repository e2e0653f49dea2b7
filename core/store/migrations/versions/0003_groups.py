"""Groups"""

from typing import Final

import sqlalchemy as sa
from alembic import op


revision: Final = '0003'
down_revision: Final = '0002'
branch_labels: Final = None
depends_on: Final = None


def upgrade() -> None:
    """From the revision before to this one."""
    op.create_table('chat_group',
    sa.Column('channel_id', sa.String(), nullable=False),
    sa.Column('chat_id', sa.String(), nullable=False),
    sa.Column('title', sa.String(), nullable=False),
    sa.Column('enabled', sa.Boolean(), nullable=False),
    sa.Column('heard_at', sa.BigInteger(), nullable=False),
    sa.Column('gone', sa.Boolean(), nullable=False),
    sa.Column('moved_to', sa.String(), nullable=True),
    sa.PrimaryKeyConstraint('channel_id', 'chat_id', name=op.f('pk_chat_group'))
    )
    op.create_table('guest_answer',
    sa.Column('channel_id', sa.String(), nullable=False),
    sa.Column('chat_id', sa.String(), nullable=False),
    sa.Column('update_id', sa.String(), nullable=False),
    sa.Column('at', sa.BigInteger(), nullable=False),
    sa.PrimaryKeyConstraint('channel_id', 'chat_id', 'update_id', name=op.f('pk_guest_answer'))
    )
    with op.batch_alter_table('guest_answer', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_guest_answer_at'), ['at'], unique=False)
