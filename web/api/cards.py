"""Cards: answering what the assistant asks. The first answer wins, wherever it comes from, and closes it everywhere."""

from typing import Annotated

from fastapi import Body

from core.asking import NOT_WAITING
from core.events import PermissionResolved, QuestionAnswered
from web.api import schemas
from web.api.document import Section, refusals
from web.api.parts import By, Parts, Unmet

Answer = Annotated[
    schemas.Values | schemas.Typed | None,
    Body(description="Values by field, or words, or null to skip it", examples=[{"values": {"drink": "tea"}}]),
]


class CardRoutes:
    """The routes."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._conversations = parts.conversations

    def add_to(self, api: Section) -> None:
        """Register them."""
        route, one, there = api.add_api_route, "/conversations/{conversation_id}", refusals(404)
        route(
            f"{one}/questions/{{question_id}}/answer",
            self.answer_question,
            methods=["POST"],
            responses=there,
            summary="Answer a question, or skip it",
        )
        route(
            f"{one}/permissions/{{permission_id}}",
            self.resolve_permission,
            methods=["POST"],
            responses=there,
            summary="Allow what a tool wants to do, or not; start a plan, or not",
        )

    async def answer_question(
        self, conversation_id: str, question_id: str, answer: Answer, by: By
    ) -> schemas.AnsweredView:
        """422 `invalid-answer`: `detail` says what does not fit, and the question still waits. 404 `not-waiting`: it
        does not wait (any more); `earlier` is what it was answered with, where that is known."""
        await self._parts.expect(conversation_id)
        given = answer.values if isinstance(answer, schemas.Values) else answer.text if answer else None
        answered = await self._conversations.answer_question(conversation_id, question_id, given, by.by)
        if answered.outcome == "invalid":
            raise Unmet(422, "invalid-answer", answered.sentence, outcome="invalid")
        if answered.outcome == "not-found":
            raise Unmet(404, "not-waiting", NOT_WAITING, outcome="not-found", earlier=_earlier(answered.earlier))
        return schemas.AnsweredView(words=answered.sentence)

    async def resolve_permission(
        self, conversation_id: str, permission_id: str, deciding: schemas.Deciding, by: By
    ) -> schemas.ResolvedView:
        """404 `not-waiting`: it does not wait (any more); `earlier` is what was decided, where that is known."""
        await self._parts.expect(conversation_id)
        resolved = await self._conversations.resolve_permission(
            conversation_id, permission_id, deciding.decision, by.by
        )
        if resolved.outcome == "not-found":
            raise Unmet(404, "not-waiting", outcome="not-found", earlier=_earlier(resolved.earlier))
        return schemas.ResolvedView()


def _earlier(reply: QuestionAnswered | PermissionResolved | None) -> dict[str, object] | None:
    return None if reply is None else reply.model_dump(mode="json", exclude={"type"})
