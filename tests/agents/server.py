#!/usr/bin/env python3
"""A small MCP server for agents: it says again what it is given."""

import json
import sys

TOOL = {'name': 'echo', 'description': 'says the path again',
        'inputSchema': {'type': 'object', 'required': ['path'],
                        'properties': {'path': {'type': 'string'}}}}
RESULTS = {
    'initialize': lambda given: {
        'protocolVersion': given.get('protocolVersion', '2025-06-18'),
        'capabilities': {'tools': {}},
        'serverInfo': {'name': 'test', 'version': '1'}},
    'ping': lambda given: {},
    'tools/list': lambda given: {'tools': [TOOL]},
    'tools/call': lambda given: {'content': [
        {'type': 'text', 'text': 'got ' + given['arguments']['path']}]},
}

for line in sys.stdin:
    message = json.loads(line)
    if 'id' not in message or 'method' not in message:
        continue
    answer = {'jsonrpc': '2.0', 'id': message['id']}
    if message['method'] in RESULTS:
        answer['result'] = RESULTS[message['method']](
            message.get('params', {}))
    else:
        answer['error'] = {'code': -32601, 'message': 'no such method'}
    print(json.dumps(answer), flush=True)
