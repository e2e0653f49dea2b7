"""Model APIs as engines, through pydantic-ai. Imported only when such an engine is used: it takes seconds."""
