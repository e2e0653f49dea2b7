"""Browsers that are signed in, how the owner signs in, and what was done"""

from typing import Final

import core.store.moments
import sqlalchemy as sa
from alembic import op
from sqlalchemy import BigInteger, Integer


revision: Final = '0014'
down_revision: Final = '0013'
branch_labels: Final = None
depends_on: Final = None


def upgrade() -> None:
    """From the revision before to this one."""
    moment = core.store.moments.Moment()
    op.create_table('web_session',
    sa.Column('id', sa.String(), nullable=False),
    sa.Column('session_hash', sa.String(), nullable=False),
    sa.Column('created_at', moment, nullable=False),
    sa.Column('signed_in_at', moment, nullable=False),
    sa.Column('last_seen', moment, nullable=False),
    sa.Column('ends_at', moment, nullable=False),
    sa.Column('address', sa.String(), nullable=False),
    sa.Column('user_agent', sa.String(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_web_session')),
    sa.UniqueConstraint('session_hash', name=op.f('uq_web_session_session_hash'))
    )
    op.create_index(op.f('ix_web_session_ends_at'), 'web_session', ['ends_at'], unique=False)
    op.create_table('owner_password',
    sa.Column('owner', sa.String(), nullable=False),
    sa.Column('password_hash', sa.String(), nullable=False),
    sa.Column('set_at', moment, nullable=False),
    sa.PrimaryKeyConstraint('owner', name=op.f('pk_owner_password'))
    )
    op.create_table('passkey',
    sa.Column('credential_id', sa.String(), nullable=False),
    sa.Column('public_key', sa.Text(), nullable=False),
    sa.Column('sign_count', sa.BigInteger(), nullable=False),
    sa.Column('rp_id', sa.String(), nullable=False),
    sa.Column('transports', sa.String(), nullable=False),
    sa.Column('name', sa.String(), nullable=False),
    sa.Column('created_at', moment, nullable=False),
    sa.Column('last_used', moment, nullable=True),
    sa.PrimaryKeyConstraint('credential_id', name=op.f('pk_passkey'))
    )
    op.create_table('audit',
    sa.Column('id', BigInteger().with_variant(Integer(), "sqlite"), nullable=False),
    sa.Column('at', moment, nullable=False),
    sa.Column('what', sa.String(), nullable=False),
    sa.Column('by', sa.String(), nullable=False),
    sa.Column('about', sa.String(), nullable=False),
    sa.Column('address', sa.String(), nullable=True),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_audit'))
    )
    op.create_index(op.f('ix_audit_at'), 'audit', ['at'], unique=False)
