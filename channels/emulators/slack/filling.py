"""A view as a person sees it: its fields with what stands on them, what can be picked, what is wrong.

Belongs here: drawing a view. What is sent of it belongs to `picking`.
"""

from channels.emulators.slack import drawing, picking
from channels.emulators.slack.chats import Content
from channels.emulators.slack.interactions import View
from channels.emulators.slack.mrkdwn import Names
from channels.emulators.slack.seen import SeenForm


def seen_form(view: View, names: Names) -> SeenForm:
    """How a form or a Home tab looks."""
    json = view.json
    fields = {block["label"]["text"]: picking.shown(element) for block, element in picking.inputs(json)}
    choices = {
        block["label"]["text"]: tuple(option["text"]["text"] for option in drawing.all_options(element))
        for block, element in picking.inputs(json)
        if element["type"] in drawing.SINGLE | drawing.SEVERAL
    }
    several = tuple(b["label"]["text"] for b, e in picking.inputs(json) if e["type"] in drawing.SEVERAL)
    others = Content(blocks=[block for block in json["blocks"] if block["type"] != "input"])
    return SeenForm(
        id=view.id,
        title=(json.get("title") or {}).get("text", ""),
        fields=fields,
        text=drawing.words(others, names),
        submit=(json.get("submit") or {}).get("text", ""),
        choices=choices,
        several=several,
        errors=answers_of(view),
        buttons=drawing.rows(others),
    )


def answers_of(view: View) -> dict[str, str]:
    """What stands in red under the fields, by the fields' labels."""
    labels = {block["block_id"]: block["label"]["text"] for block, _ in picking.inputs(view.json)}
    return {labels.get(block, block): str(words) for block, words in view.errors.items()}
