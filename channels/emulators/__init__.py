"""Pretend chat apps: servers on loopback that speak each platform's own wire protocol to the platform's own SDK.

They judge our adapters, so they share nothing with them: no module here imports `core`, another folder of `channels`,
or a chat SDK. What belongs here directly is what every pretend app needs: faults, a journal, a listener, a child
process. What one platform says and refuses belongs in its folder.
"""
