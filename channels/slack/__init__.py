"""The Slack adapter, on slack-sdk."""
