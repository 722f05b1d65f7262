import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A project of another product. */
export interface ForeignProject {
  readonly format: string
  readonly files: Readonly<Record<string, string>>
  /** The cards to load. */
  readonly cards: readonly string[]
  /** Files for the folder of the converted cards, with what a card cannot define. */
  readonly elsewhere?: Readonly<Record<string, string>>
  /** Variables that a card names in place of the values in a file of secrets, by value. */
  readonly secrets?: Readonly<Record<string, string>>
}

const SERVER = readFileSync(
  join(import.meta.dirname, '../../../../packages/host/test/support/stdio-server.mjs'),
  'utf8',
)
const NODE = JSON.stringify(process.execPath)
/** The keys of a server whose program lies in the folder of the project. */
const KEYS = `"command": ${NODE}, "args": ["server.mjs", "list", "close"]`

const markdown = (keys: string, body: string): string => `---\n${keys}\n---\n${body}\n`

const CLAUDE_CODE: ForeignProject = {
  format: 'Claude Code',
  cards: ['.claude/agents', '.claude/commands'],
  files: {
    'server.mjs': SERVER,
    '.claude/agents/lead.md': markdown(
      'name: lead\ndescription: Leads.\ntools: Read, Edit, Bash(npm test), mcp__tracker__list, Agent(helper, reviewer)\nskills: tidy\nmaxTurns: 7\nmemory: project\nmodel: sonnet',
      'Lead the team.',
    ),
    '.claude/agents/deep/helper.md': markdown(
      'name: helper\ndescription: Helps.\ndisallowedTools: Write, Bash(rm *)\nmodel: inherit\npermissionMode: acceptEdits',
      'Help.',
    ),
    '.claude/agents/reviewer.md': markdown(
      'name: reviewer\ndescription: "Reviews: all."\ntools: []',
      '---\nReview.',
    ),
    '.claude/commands/git/fix.md': markdown(
      'description: Fixes.\nallowed-tools: Read, Bash(git log:*)\nargument-hint: "[issue]"',
      'Fix $ARGUMENTS. See @notes.md and !`git diff`.',
    ),
    'notes.md': 'Notes of the project.\n',
    '.claude/skills/tidy/SKILL.md': markdown('name: tidy\ndescription: Tidies.', 'Tidy up.'),
    '.claude/settings.json':
      '{"permissions": {"deny": ["Read(./.env)", "Bash(git push *)"], "ask": ["mcp__tracker__list"]}}',
    'home/.claude/settings.json': '{"permissions": {"deny": ["Bash(curl *)"], "defaultMode": "plan"}}',
    '.mcp.json': `{"mcpServers": {"tracker": {${KEYS}, "env": {"PLACE": "\${PLACE:-here}"}}}}`,
  },
}

const PLUGIN: ForeignProject = {
  format: 'Claude Code plugin',
  cards: ['kit'],
  files: {
    'kit/.claude-plugin/plugin.json': '{"name": "kit", "agents": "./more"}',
    'kit/agents/a.md': markdown(
      'name: a\ndescription: d\nskills: tidy\ntools: Read, Agent(kit:b), mcp__plugin_kit_tracker__list',
      'Do a.',
    ),
    'kit/more/agents/b.md': markdown('name: b\ndescription: d\nmcpServers: [tracker]', 'Do b.'),
    'kit/commands/do.md': markdown('description: d', 'Do $1.'),
    'kit/skills/tidy/SKILL.md': markdown('name: tidy\ndescription: Tidies.', 'Tidy up.'),
    'kit/.mcp.json': `{"tracker": {"command": ${NODE}, "args": ["\${CLAUDE_PLUGIN_ROOT}/server.mjs"]}}`,
    'kit/server.mjs': SERVER,
    '.claude/settings.json': '{"permissions": {"deny": ["WebFetch"]}}',
  },
}

const OPENCODE: ForeignProject = {
  format: 'opencode',
  cards: ['opencode.json', '.opencode/agent', '.opencode/commands'],
  files: {
    'server.mjs': SERVER,
    'opencode.json': `{
      // the whole team
      "model": "anthropic/claude-haiku-4-5",
      "permission": {"edit": "ask", "bash": {"*": "ask", "rm *": "deny"}, "tracker_cl*": "deny"},
      "tools": {"webfetch": false},
      "mcp": {"tracker": {"type": "local", "command": [${NODE}, "server.mjs", "list", "close"], "environment": {"PLACE": "{env:PLACE}"}, "timeout": 60000}},
      "agent": {"chief": {"prompt": "{file:prompts/chief.md}", "description": "d", "steps": 5, "permission": {"read": {"*": "allow", "secrets/*": "deny"}}}},
      "default_agent": "chief"
    }`,
    'prompts/chief.md': 'You lead.\n',
    '.opencode/agent/review/security.md': markdown(
      'description: d\nmode: subagent\ntemperature: 0.3\ntools: {write: false, "tracker_*": false}',
      'Look for holes.',
    ),
    '.opencode/agent/a.md': markdown('description: d\nmode: primary', 'Do a.'),
    '.opencode/commands/fix.md': markdown('description: d\nagent: a', 'Fix $ARGUMENTS.'),
  },
}

const CODEX: ForeignProject = {
  format: 'Codex',
  cards: ['.codex/agents'],
  files: {
    'server.mjs': SERVER,
    '.codex/config.toml': `model = "gpt-5"\nmodel_reasoning_effort = "low"\nsandbox_mode = "read-only"\n[mcp_servers.tracker]\ncommand = ${NODE}\nargs = ["server.mjs", "list", "close"]\ndisabled_tools = ["wipe"]\nenv_vars = ["PLACE"]\nstartup_timeout_sec = 600\n`,
    '.codex/agents/a.toml':
      'name = "a"\ndescription = "d"\ndeveloper_instructions = """\nDo a.\n# not a comment\n"""\n',
    '.codex/agents/deep/b.toml': `name = "b"\ndescription = "d"\ndeveloper_instructions = "Do b."\nsandbox_mode = "workspace-write"\n[mcp_servers.tracker]\nenabled_tools = ["list"]\n`,
  },
}

const COPILOT: ForeignProject = {
  format: 'GitHub Copilot',
  cards: ['.github/agents'],
  files: {
    'server.mjs': SERVER,
    '.github/agents/lead.agent.md': markdown(
      "description: d\ntools: ['read', 'edit/createFile', 'tracker/list', 'agent']\nagents: ['writer']\nmodel: Claude Sonnet 4.5 (copilot)",
      'Lead.',
    ),
    '.github/agents/writer.agent.md': markdown(
      'name: writer\ndescription: d\nuser-invocable: false',
      'Write.',
    ),
    '.vscode/mcp.json': `{"servers": {"tracker": {"type": "stdio", ${KEYS}, "env": {"KEY": "\${input:api-key}"}}}, "inputs": [{"id": "api-key", "type": "promptString"}]}`,
  },
}

const GEMINI: ForeignProject = {
  format: 'Gemini CLI',
  cards: ['.gemini/agents'],
  files: {
    'server.mjs': SERVER,
    '.gemini/agents/a.md': markdown(
      `name: a\ndescription: d\ntools: [read_file, run_shell_command, "mcp_tracker_*"]\nmax_turns: 4\ntimeout_mins: 2\nmcpServers: {"tracker": {${KEYS}, "cwd": "../..", "includeTools": ["list", "close"], "excludeTools": ["close"]}}`,
      'Do a.',
    ),
    '.gemini/settings.json': '{"tools": {"exclude": ["run_shell_command(rm)"]}}',
  },
}

const GOOSE: ForeignProject = {
  format: 'goose',
  cards: ['recipes'],
  files: {
    'recipes/server.mjs': SERVER,
    'recipes/review.yaml': `title: Review
description: Reviews a folder.
instructions: |
  You review {{ path }} in {{ recipe_dir }}.
prompt: Review the folder {{ path }}.
parameters:
  - {key: path, input_type: string, requirement: required, description: the folder}
  - {key: depth, input_type: number, requirement: optional, default: 2, description: how deep}
extensions:
  - {type: builtin, name: developer, available_tools: [shell, read]}
  - {type: stdio, name: tracker, cmd: ${NODE}, args: ["server.mjs", list, close], available_tools: [list], timeout: 60}
sub_recipes:
  - {name: complexity, path: ./parts/complexity.yaml, values: {unit: lines}}
settings: {temperature: 0.2, max_turns: 9}
response: {json_schema: {type: object, properties: {ok: {type: boolean}}, required: [ok]}}
`,
    'recipes/parts/complexity.yaml': `title: Complexity
description: Measures.
instructions: Measure in {{ unit }} below {{ limit }}.
parameters:
  - {key: unit, input_type: string, requirement: required, description: the unit}
  - {key: limit, input_type: string, requirement: optional, default: "10", description: the limit}
extensions: []
`,
  },
}

const DOCKER_AGENT: ForeignProject = {
  format: 'docker-agent',
  cards: ['team.yaml'],
  files: {
    'server.mjs': SERVER,
    'house.md': 'House rules.\n',
    'team.yaml': `models:
  fast: {provider: openai, model: gpt-5-mini, temperature: 0.1, max_tokens: 500}
mcps:
  tracker: {command: ${NODE}, args: ["server.mjs", list, close], env: {PLACE: here}}
permissions: {allow: ["read_*", "mcp:tracker:list"], deny: ["shell:cmd=rm *"]}
agents:
  root:
    model: fast
    description: Leads.
    instruction: |
      You lead. {{ not a template }}
    sub_agents: [writer]
    handoffs: [checker]
    add_prompt_files: [house.md]
    toolsets: [{type: filesystem, deny_list: [private]}, {type: mcp, ref: tracker, tools: [list, close]}]
    max_iterations: 6
    commands: {hello: Say hello.}
  writer: {model: openai/gpt-5, description: Writes., instruction: Write., readonly: true, toolsets: [{type: filesystem}, {type: todo}]}
  checker: {model: fast, description: Checks., instruction: Check., toolsets: [{type: shell}, {type: fetch, allowed_domains: [example.com]}]}
`,
  },
}

const TSAGENT: ForeignProject = {
  format: 'tsagent',
  cards: ['agents'],
  files: {
    'server.mjs': SERVER,
    '.env': 'PLACE=here\n',
    'agents/porter.yaml': `metadata: {name: Porter, description: d, created: "2026-01-01", lastAccessed: "2026-01-01", tools: [{name: greet, description: Greets., parameters: {type: object, properties: {name: {type: string}}}, prompt: "Greet {name}."}]}
settings: {model: "openai:gpt-5", temperature: 0.3, maxChatTurns: 4}
systemPrompt: |
  You carry bags.
rules:
  - {name: polite, description: Politeness, priorityLevel: 10, text: Be polite., include: always}
  - {name: late, description: At night, priorityLevel: 20, text: "Be quiet: it is late.", include: agent}
references:
  - {name: rooms, description: The rooms, priorityLevel: 5, text: "Room 1, room 2", include: always}
  - {name: menu, description: The menu, priorityLevel: 5, text: Soup, include: manual}
mcpServers: {"tracker": {"type": "stdio", "command": ${NODE}, "args": ["../server.mjs", "list", "close"], "env": {"PLACE": "env://PLACE"}, "tools": {"list": {"permissionRequired": false}, "close": {"include": "manual"}}}}
`,
  },
}

const FAST_AGENT: ForeignProject = {
  format: 'fast-agent',
  secrets: { 'tracker-secret': '${TRACKER_KEY}' },
  cards: ['.fast-agent/agent-cards'],
  files: {
    'server.mjs': SERVER,
    'rules.md': 'Be kind in {{workspaceRoot}}.\n',
    'AGENTS.md': 'Notes for agents.\n',
    '.fast-agent/fast-agent.yaml': `default_model: $team.main
model_references: {team: {main: openai.gpt-5.low, small: haiku}}
mcp: {"servers": {"tracker": {${KEYS}, "env": {"PLACE": "\${PLACE:here}"}, "read_timeout_seconds": 60}, "web": {"url": "http://127.0.0.1:9/mcp", "load_on_start": false}}}
`,
    '.fast-agent/fast-agent.secrets.yaml':
      'mcp: {servers: {tracker: {env: {TRACKER_KEY: tracker-secret}}}}\n',
    '.fast-agent/agent-cards/lead.md': markdown(
      'type: agent\ndefault: true\ndescription: Leads.\nservers: [tracker]\ntools: {tracker: ["l*"]}\nagents: [helper]\nshell: true',
      'Lead.\n{{file:rules.md}}{{file_silent:gone.md}}',
    ),
    '.fast-agent/agent-cards/helper.md': markdown(
      'description: Helps.\nmodel: $team.small\nrequest_params: {temperature: 0.2, max_iterations: 3}\nuse_history: false',
      '',
    ),
    '.fast-agent/agent-cards/chain.yaml':
      'type: chain\ndescription: c\nsequence: [helper, judge]\ncumulative: true\n',
    '.fast-agent/agent-cards/jury.yaml':
      'type: parallel\ndescription: p\nfan_out: [helper, chain]\nfan_in: judge\n',
    '.fast-agent/agent-cards/judge.md': markdown(
      'description: Judges.',
      'Judge in {{agentName}} on {{hostPlatform}}.',
    ),
    '.fast-agent/agent-cards/polish.yaml':
      'type: evaluator_optimizer\ndescription: e\ngenerator: helper\nevaluator: judge\nmin_rating: EXCELLENT\nmax_refinements: 2\n',
    '.fast-agent/agent-cards/front.yaml': 'type: router\ndescription: r\nagents: [helper, judge]\n',
    '.fast-agent/agent-cards/chief.yaml':
      'type: orchestrator\ndescription: o\nagents: [helper]\nplan_type: iterative\nplan_iterations: 4\n',
    '.fast-agent/agent-cards/count.yaml':
      'type: MAKER\ndescription: m\nworker: judge\nk: 2\nmax_samples: 9\n',
    '.fast-agent/tool-cards/search.md': markdown(
      'description: Searches.\nservers: [tracker]\ntools: {tracker: [close]}',
      'Search.',
    ),
  },
}

const AI_AGENT: ForeignProject = {
  format: 'ai-agent',
  cards: ['office'],
  elsewhere: {
    'troupe.json':
      '{"providers": {"house": {"api": "chat", "baseURL": "http://127.0.0.1:9/v1", "apiKey": "k"}}}',
  },
  files: {
    'server.mjs': SERVER,
    '.ai-agent.json': `{
      "providers": {"house": {"type": "openai-compatible", "baseUrl": "http://127.0.0.1:9/v1", "apiKey": "\${OPENAI_API_KEY}"}},
      "mcpServers": {"notes": {"type": "stdio", ${KEYS}, "env": {"OFFICE": "\${OFFICE}"}, "queue": "slow", "toolsAllowed": ["list", "close", "wipe"], "toolsDenied": ["WIPE"]}},
      "restTools": {"weather": {"description": "Weather.", "method": "GET", "url": "http://127.0.0.1:9/\${parameters.city}", "parametersSchema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}},
      "queues": {"slow": {"concurrent": 1}},
      "defaults": {"temperature": 0.2, "maxTurns": 6}
    }`,
    '.ai-agent.env': 'OFFICE=front\nOPENAI_API_KEY=sk-x\n',
    'office/clerk.ai':
      '#!/usr/bin/env ai-agent\n---\ndescription: Answers.\nmodels: [house/large, openai/gpt-5-mini]\ntools: [notes, rest__weather]\nagents: [look-up.ai]\noutput: {format: json, schema: {type: object, properties: {answer: {type: string}}, required: [answer]}}\n---\n{% render "parts/tone.md" %}\nAnswer with ${MAX_TURNS} turns.\n',
    'office/parts/tone.md': 'Be kind. {% include "words.md" %}',
    'office/parts/words.md': 'Use short words.',
    'office/look-up.ai':
      '---\ndescription: Looks up.\nmodels: openai/gpt-5\ntoolTimeout: 5s\n---\nLook it up.\n',
    'office/front.ai':
      '---\ndescription: Routes.\nmodels: openai/gpt-5\nadvisors: [risk.ai]\nrouter: {destinations: [look-up.ai, clerk.ai]}\nhandoff: polish.ai\n---\nChoose a clerk.\n',
    'office/risk.ai': '---\ndescription: Names risks.\nmodels: openai/gpt-5\n---\nName risks.\n',
    'office/polish.ai': '---\ndescription: Polishes.\nmodels: openai/gpt-5\n---\nPolish.\n',
  },
}

const CREWAI: ForeignProject = {
  format: 'CrewAI',
  cards: ['config'],
  files: {
    'config/agents.yaml':
      'researcher:\n  role: Researcher of {topic}\n  goal: Find out.\n  backstory: You know the library.\n  llm: openai/gpt-5\n  max_iter: 5\nwriter: {role: Writer, goal: Write., backstory: You write.}\n',
    'config/tasks.yaml':
      'research: {description: "Find out about {topic}.", expected_output: A list., agent: researcher}\nwrite: {description: Write., expected_output: A page., agent: writer, context: [research]}\n',
  },
}

const TROUPE: ForeignProject = {
  format: 'Troupe',
  cards: ['team'],
  files: {
    'team/lead.md': markdown(
      'description: d\nmodel: openai/gpt-5\ndefault: true\nagents: [parts/writer.md, "more/*.md"]\nagentTools: {parts/writer.md: {description: Writes.}}\nskills: [skills]\noutput: {format: json, schema: schemas/answer.json}\ninput: {schema: {type: object, properties: {city: {type: string}}}, template: jinja}',
      'Lead in {{ city }}.',
    ),
    'team/parts/writer.md': markdown(
      'description: d\nmodel: inherit\nruntimeTools: [filesystem]\npermissions: {deny: [{tool: filesystem.read, argument: path, pattern: "*.env"}]}',
      'Write.',
    ),
    'team/more/judge.md': markdown(
      'description: d\nmodel: openai/gpt-5\nlimits: {maxTurns: 2, timeout: 1m}',
      'Judge.',
    ),
    'team/schemas/answer.json': '{"type": "object", "properties": {"ok": {"type": "boolean"}}}',
    'team/skills/tidy/SKILL.md': markdown('name: tidy\ndescription: Tidies.', 'Tidy up.'),
  },
}

/** Projects of every product, written after its documentation. */
export const PROJECTS: readonly ForeignProject[] = [
  CLAUDE_CODE,
  PLUGIN,
  OPENCODE,
  CODEX,
  COPILOT,
  GEMINI,
  GOOSE,
  DOCKER_AGENT,
  TSAGENT,
  FAST_AGENT,
  AI_AGENT,
  CREWAI,
  TROUPE,
]
