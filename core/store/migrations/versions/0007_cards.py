"""Cards: questions, permissions and plans where they stand in a chat"""

from typing import Final

import sqlalchemy as sa
from alembic import op


revision: Final = '0007'
down_revision: Final = '0006'
branch_labels: Final = None
depends_on: Final = None


def upgrade() -> None:
    """From the revision before to this one."""
    op.create_table('card',
    sa.Column('id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
    sa.Column('handle', sa.String(), nullable=False),
    sa.Column('token_hash', sa.String(), nullable=False),
    sa.Column('key', sa.String(), nullable=False),
    sa.Column('conversation_id', sa.String(), nullable=False),
    sa.Column('turn_seq', sa.Integer(), nullable=False),
    sa.Column('seq', sa.Integer(), nullable=False),
    sa.Column('kind', sa.String(), nullable=False),
    sa.Column('ref', sa.String(), nullable=False),
    sa.Column('channel_id', sa.String(), nullable=False),
    sa.Column('chat_id', sa.String(), nullable=False),
    sa.Column('chat_kind', sa.String(), nullable=False),
    sa.Column('thread', sa.String(), nullable=False),
    sa.Column('person_id', sa.String(), nullable=False),
    sa.Column('behalf', sa.Text(), nullable=True),
    sa.Column('draft', sa.Text(), nullable=False),
    sa.Column('press', sa.String(), nullable=True),
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('state', sa.String(), nullable=False),
    sa.Column('note', sa.Text(), nullable=True),
    sa.Column('message_id', sa.String(), nullable=True),
    sa.Column('created_at', sa.BigInteger(), nullable=False),
    sa.Column('redraw_at', sa.BigInteger(), nullable=True),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_card')),
    sa.UniqueConstraint('handle', name=op.f('uq_card_handle')),
    sa.UniqueConstraint('key', name=op.f('uq_card_key')),
    sqlite_autoincrement=True
    )
    with op.batch_alter_table('card', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_card_created_at'), ['created_at'], unique=False)
        batch_op.create_index('ix_card_of_chat', ['channel_id', 'chat_id', 'thread', 'person_id', 'id'], unique=False)
        batch_op.create_index('ix_card_of_turn', ['conversation_id', 'turn_seq'], unique=False)
        batch_op.create_index('ix_card_to_redraw', ['redraw_at'], unique=False, sqlite_where=sa.text('redraw_at IS NOT NULL'), postgresql_where=sa.text('redraw_at IS NOT NULL'))
