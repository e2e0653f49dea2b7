"""Menus: values as buttons under one message, which a press changes in place."""
