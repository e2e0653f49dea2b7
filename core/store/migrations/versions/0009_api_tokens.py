"""Tokens of the API"""

from typing import Final

import sqlalchemy as sa
from alembic import op


revision: Final = '0009'
down_revision: Final = '0008'
branch_labels: Final = None
depends_on: Final = None


def upgrade() -> None:
    """From the revision before to this one."""
    op.create_table('api_token',
    sa.Column('id', sa.String(), nullable=False),
    sa.Column('name', sa.String(), nullable=False),
    sa.Column('token_hash', sa.String(), nullable=False),
    sa.Column('scope', sa.String(), nullable=False),
    sa.Column('created_at', sa.BigInteger(), nullable=False),
    sa.Column('last_used', sa.BigInteger(), nullable=True),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_api_token')),
    sa.UniqueConstraint('name', name=op.f('uq_api_token_name')),
    sa.UniqueConstraint('token_hash', name=op.f('uq_api_token_token_hash'))
    )
