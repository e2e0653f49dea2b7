"""The first tables"""

from typing import Final

import sqlalchemy as sa
from alembic import op


revision: Final = '0001'
down_revision: Final = None
branch_labels: Final = None
depends_on: Final = None


def upgrade() -> None:
    """From the revision before to this one."""
    op.create_table('access_request',
    sa.Column('channel_id', sa.String(), nullable=False),
    sa.Column('person_id', sa.String(), nullable=False),
    sa.Column('name', sa.String(), nullable=False),
    sa.Column('username', sa.String(), nullable=True),
    sa.Column('chat_id', sa.String(), nullable=False),
    sa.Column('preview', sa.String(), nullable=False),
    sa.Column('at', sa.BigInteger(), nullable=False),
    sa.PrimaryKeyConstraint('channel_id', 'person_id', name=op.f('pk_access_request'))
    )
    op.create_table('channel',
    sa.Column('id', sa.String(), nullable=False),
    sa.Column('kind', sa.String(), nullable=False),
    sa.Column('bot_id', sa.String(), nullable=False),
    sa.Column('name', sa.String(), nullable=False),
    sa.Column('username', sa.String(), nullable=True),
    sa.Column('credentials', sa.Text(), nullable=False),
    sa.Column('enabled', sa.Boolean(), nullable=False),
    sa.Column('created_at', sa.BigInteger(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_channel')),
    sa.UniqueConstraint('kind', 'bot_id', name=op.f('uq_channel_kind_bot_id'))
    )
    op.create_table('client_id',
    sa.Column('conversation_id', sa.String(), nullable=False),
    sa.Column('client_id', sa.String(), nullable=False),
    sa.Column('at', sa.BigInteger(), nullable=False),
    sa.PrimaryKeyConstraint('conversation_id', 'client_id', name=op.f('pk_client_id'))
    )
    with op.batch_alter_table('client_id', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_client_id_at'), ['at'], unique=False)

    op.create_table('conversation',
    sa.Column('id', sa.String(), nullable=False),
    sa.Column('last_seq', sa.Integer(), nullable=False),
    sa.Column('relayed_seq', sa.Integer(), nullable=False),
    sa.Column('turn_seq', sa.Integer(), nullable=True),
    sa.Column('status', sa.String(), nullable=False),
    sa.Column('title', sa.String(), nullable=True),
    sa.Column('created_at', sa.BigInteger(), nullable=False),
    sa.Column('updated_at', sa.BigInteger(), nullable=False),
    sa.Column('state', sa.Text(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_conversation'))
    )
    with op.batch_alter_table('conversation', schema=None) as batch_op:
        batch_op.create_index('ix_conversation_running', ['id'], unique=False, sqlite_where=sa.text('turn_seq IS NOT NULL'), postgresql_where=sa.text('turn_seq IS NOT NULL'))
        batch_op.create_index('ix_conversation_updated_at', ['updated_at', 'id'], unique=False)

    op.create_table('engine_session',
    sa.Column('conversation_id', sa.String(), nullable=False),
    sa.Column('engine', sa.String(), nullable=False),
    sa.Column('seq', sa.Integer(), nullable=False),
    sa.Column('state', sa.Text(), nullable=False),
    sa.PrimaryKeyConstraint('conversation_id', 'engine', name=op.f('pk_engine_session'))
    )
    op.create_table('hello_code',
    sa.Column('code_hash', sa.String(), nullable=False),
    sa.Column('channel_id', sa.String(), nullable=False),
    sa.Column('expires_at', sa.BigInteger(), nullable=False),
    sa.PrimaryKeyConstraint('code_hash', name=op.f('pk_hello_code'))
    )
    with op.batch_alter_table('hello_code', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_hello_code_channel_id'), ['channel_id'], unique=False)

    op.create_table('inbox',
    sa.Column('arrival', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
    sa.Column('channel_id', sa.String(), nullable=False),
    sa.Column('update_id', sa.String(), nullable=False),
    sa.Column('payload', sa.Text(), nullable=False),
    sa.Column('at', sa.BigInteger(), nullable=False),
    sa.Column('done_at', sa.BigInteger(), nullable=True),
    sa.Column('error', sa.Text(), nullable=True),
    sa.PrimaryKeyConstraint('arrival', name=op.f('pk_inbox')),
    sa.UniqueConstraint('channel_id', 'update_id', name=op.f('uq_inbox_channel_id_update_id'))
    )
    with op.batch_alter_table('inbox', schema=None) as batch_op:
        batch_op.create_index('ix_inbox_not_done', ['channel_id', 'arrival'], unique=False, sqlite_where=sa.text('done_at IS NULL'), postgresql_where=sa.text('done_at IS NULL'))
        batch_op.create_index('ix_inbox_poisoned', ['channel_id', 'arrival'], unique=False, sqlite_where=sa.text('error IS NOT NULL'), postgresql_where=sa.text('error IS NOT NULL'))

    op.create_table('outbox',
    sa.Column('id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
    sa.Column('key', sa.String(), nullable=False),
    sa.Column('part', sa.Integer(), nullable=False),
    sa.Column('of', sa.Integer(), nullable=False),
    sa.Column('channel_id', sa.String(), nullable=False),
    sa.Column('chat_id', sa.String(), nullable=False),
    sa.Column('chat_kind', sa.String(), nullable=False),
    sa.Column('thread', sa.String(), nullable=False),
    sa.Column('kind', sa.String(), nullable=False),
    sa.Column('body', sa.Text(), nullable=False),
    sa.Column('state', sa.String(), nullable=False),
    sa.Column('attempts', sa.Integer(), nullable=False),
    sa.Column('resends', sa.Integer(), nullable=False),
    sa.Column('posted_at', sa.BigInteger(), nullable=False),
    sa.Column('changed_at', sa.BigInteger(), nullable=False),
    sa.Column('not_before', sa.BigInteger(), nullable=True),
    sa.Column('owner', sa.String(), nullable=True),
    sa.Column('lease_until', sa.BigInteger(), nullable=True),
    sa.Column('message_id', sa.String(), nullable=True),
    sa.Column('error_class', sa.String(), nullable=True),
    sa.Column('error', sa.Text(), nullable=True),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_outbox')),
    sa.UniqueConstraint('key', 'part', name=op.f('uq_outbox_key_part')),
    sqlite_autoincrement=True
    )
    with op.batch_alter_table('outbox', schema=None) as batch_op:
        batch_op.create_index('ix_outbox_in_trouble', ['state', 'id'], unique=False, sqlite_where=sa.text("state IN ('unknown', 'failed', 'expired')"), postgresql_where=sa.text("state IN ('unknown', 'failed', 'expired')"))
        batch_op.create_index('ix_outbox_on_the_way', ['channel_id', 'id'], unique=False, sqlite_where=sa.text("state IN ('pending', 'sending')"), postgresql_where=sa.text("state IN ('pending', 'sending')"))

    op.create_table('person',
    sa.Column('channel_id', sa.String(), nullable=False),
    sa.Column('person_id', sa.String(), nullable=False),
    sa.Column('name', sa.String(), nullable=False),
    sa.Column('username', sa.String(), nullable=True),
    sa.Column('role', sa.String(), nullable=False),
    sa.Column('since', sa.BigInteger(), nullable=False),
    sa.Column('last_seen', sa.BigInteger(), nullable=True),
    sa.Column('let_in_by', sa.String(), nullable=True),
    sa.PrimaryKeyConstraint('channel_id', 'person_id', name=op.f('pk_person'))
    )
    with op.batch_alter_table('person', schema=None) as batch_op:
        batch_op.create_index('ix_person_owner', ['channel_id'], unique=True, sqlite_where=sa.text("role = 'owner'"), postgresql_where=sa.text("role = 'owner'"))

    op.create_table('queued',
    sa.Column('id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
    sa.Column('conversation_id', sa.String(), nullable=False),
    sa.Column('at', sa.BigInteger(), nullable=False),
    sa.Column('message', sa.Text(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_queued')),
    sqlite_autoincrement=True
    )
    with op.batch_alter_table('queued', schema=None) as batch_op:
        batch_op.create_index('ix_queued_conversation_id', ['conversation_id', 'id'], unique=False)

    op.create_table('seat',
    sa.Column('channel_id', sa.String(), nullable=False),
    sa.Column('chat_id', sa.String(), nullable=False),
    sa.Column('thread', sa.String(), nullable=False),
    sa.Column('person_id', sa.String(), nullable=False),
    sa.Column('chat_kind', sa.String(), nullable=False),
    sa.Column('conversation_id', sa.String(), nullable=True),
    sa.Column('pending_goal', sa.String(), nullable=True),
    sa.Column('pending_plan', sa.Boolean(), nullable=False),
    sa.PrimaryKeyConstraint('channel_id', 'chat_id', 'thread', 'person_id', name=op.f('pk_seat'))
    )
    with op.batch_alter_table('seat', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_seat_conversation_id'), ['conversation_id'], unique=False)

    op.create_table('told',
    sa.Column('channel_id', sa.String(), nullable=False),
    sa.Column('chat_id', sa.String(), nullable=False),
    sa.Column('what', sa.String(), nullable=False),
    sa.Column('at', sa.BigInteger(), nullable=False),
    sa.PrimaryKeyConstraint('channel_id', 'chat_id', 'what', name=op.f('pk_told'))
    )
    op.create_table('event',
    sa.Column('conversation_id', sa.String(), nullable=False),
    sa.Column('seq', sa.Integer(), nullable=False),
    sa.Column('at', sa.BigInteger(), nullable=False),
    sa.Column('type', sa.String(), nullable=False),
    sa.Column('data', sa.Text(), nullable=False),
    sa.ForeignKeyConstraint(['conversation_id'], ['conversation.id'], name=op.f('fk_event_conversation_id'), initially='DEFERRED', deferrable=True),
    sa.PrimaryKeyConstraint('conversation_id', 'seq', name=op.f('pk_event'))
    )
