"""Menus: what is shown under one message, and what a press means there"""

from typing import Final

import sqlalchemy as sa
from alembic import op


revision: Final = '0008'
down_revision: Final = '0007'
branch_labels: Final = None
depends_on: Final = None


def upgrade() -> None:
    """From the revision before to this one."""
    op.create_table('menu',
    sa.Column('id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
    sa.Column('token_hash', sa.String(), nullable=False),
    sa.Column('key', sa.String(), nullable=False),
    sa.Column('channel_id', sa.String(), nullable=False),
    sa.Column('chat_id', sa.String(), nullable=False),
    sa.Column('thread', sa.String(), nullable=False),
    sa.Column('person_id', sa.String(), nullable=False),
    sa.Column('view', sa.Text(), nullable=False),
    sa.Column('words', sa.Text(), nullable=False),
    sa.Column('revision', sa.String(), nullable=False),
    sa.Column('waits_for', sa.String(), nullable=True),
    sa.Column('state', sa.String(), nullable=False),
    sa.Column('message_id', sa.String(), nullable=True),
    sa.Column('expires_at', sa.BigInteger(), nullable=False),
    sa.Column('fade_at', sa.BigInteger(), nullable=True),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_menu')),
    sa.UniqueConstraint('key', name=op.f('uq_menu_key')),
    sa.UniqueConstraint('token_hash', name=op.f('uq_menu_token_hash')),
    sqlite_autoincrement=True
    )
    with op.batch_alter_table('menu', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_menu_expires_at'), ['expires_at'], unique=False)
        batch_op.create_index('ix_menu_fading', ['fade_at'], unique=False, sqlite_where=sa.text('fade_at IS NOT NULL'), postgresql_where=sa.text('fade_at IS NOT NULL'))
        batch_op.create_index('ix_menu_of_seat', ['channel_id', 'chat_id', 'thread', 'person_id'], unique=True, sqlite_where=sa.text("state = 'open'"), postgresql_where=sa.text("state = 'open'"))
