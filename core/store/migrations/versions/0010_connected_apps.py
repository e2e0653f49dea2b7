"""Connected apps, and signing in with them"""

from typing import Final

import sqlalchemy as sa
from alembic import op


revision: Final = '0010'
down_revision: Final = '0009'
branch_labels: Final = None
depends_on: Final = None


def upgrade() -> None:
    """From the revision before to this one."""
    op.create_table('app_connection',
    sa.Column('app_id', sa.String(), nullable=False),
    sa.Column('account', sa.String(), nullable=False),
    sa.Column('credentials', sa.Text(), nullable=False),
    sa.Column('connected_at', sa.BigInteger(), nullable=False),
    sa.PrimaryKeyConstraint('app_id', name=op.f('pk_app_connection'))
    )
    op.create_table('app_ticket',
    sa.Column('ticket_hash', sa.String(), nullable=False),
    sa.Column('step', sa.String(), nullable=False),
    sa.Column('app_id', sa.String(), nullable=False),
    sa.Column('conversation_id', sa.String(), nullable=True),
    sa.Column('offer_id', sa.String(), nullable=True),
    sa.Column('browser', sa.String(), nullable=True),
    sa.Column('sealed', sa.Text(), nullable=True),
    sa.Column('expires_at', sa.BigInteger(), nullable=False),
    sa.Column('used_at', sa.BigInteger(), nullable=True),
    sa.PrimaryKeyConstraint('ticket_hash', name=op.f('pk_app_ticket'))
    )
    op.create_index(op.f('ix_app_ticket_expires_at'), 'app_ticket', ['expires_at'], unique=False)
