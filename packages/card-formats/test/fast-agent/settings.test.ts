import type { ParsedCard } from '@troupe/cards'
import { describe, expect, it } from 'vitest'
import { problemsOf, readProjectCard, type ProjectFiles } from './project.ts'

const CARD = '.fast-agent/agent-cards/a.md'
const CONFIG = '.fast-agent/fast-agent.yaml'

function read(keys: string, config: string, more: ProjectFiles = {}): ParsedCard {
  return readProjectCard(CARD, {
    [CARD]: `---\ndescription: d\n${keys}---\nHelp.\n`,
    [CONFIG]: config,
    ...more,
  })
}

describe('the models of fast-agent', () => {
  it.each([
    ['sonnet', 'anthropic/claude-sonnet-5'],
    ['gemini25', 'google/gemini-2.5-flash'],
    ['gpt55.low', 'openai/gpt-5.5?reasoning=low'],
    ['kimi25instant', 'hf/moonshotai/Kimi-K2.5:novita?reasoning=none'],
    ['responses.gpt-5?reasoning=high', 'openai/gpt-5?reasoning=high'],
    ['openrouter.google/gemini-pro', 'openrouter/google/gemini-pro'],
    ['generic.qwen3', 'ollama/qwen3'],
    ['$team.main', 'anthropic/claude-opus-5'],
    ['$team.second', 'anthropic/claude-opus-5'],
    ['$old.name', 'openai/gpt-4.1'],
    ['passthrough', 'passthrough'],
  ])('the name %s becomes %s', (name, id) => {
    const config =
      'model_references: {team: {main: opus, second: $team.main}}\nmodel_aliases: {old: {name: gpt-4.1}}\n'
    expect(read(`model: ${name}\n`, config).definition?.model).toEqual([id])
  })

  it('settings behind the name of a model apply unless request_params sets them', () => {
    expect(
      read('model: "sonnet?temperature=0.3&top_p=0.9"\nrequest_params: {temperature: 1}\n', '{}\n').definition
        ?.settings,
    ).toEqual({
      temperature: 1,
      topP: 0.9,
    })
  })

  it('a setting behind the name of a model yields to request_params in camel case', () => {
    const { definition } = read('model: "sonnet?top_p=0.9"\nrequest_params: {topP: 0.5}\n', '{}\n')
    expect(definition?.settings).toEqual({ topP: 0.5 })
  })

  it.each([
    ['gpt-5', 'openai: {reasoning: high}', 'gpt-5?reasoning=high'],
    ['gpt-5.low', 'openai: {reasoning: high}', 'gpt-5?reasoning=low'],
    ['openai.gpt-5', 'openai: {reasoning_effort: minimal}', 'openai/gpt-5?reasoning=minimal'],
    ['openai.gpt-4.1', 'openai: {reasoning: high}', 'openai/gpt-4.1'],
    ['sonnet', 'anthropic: {reasoning: 0}', 'anthropic/claude-sonnet-5?reasoning=none'],
    ['sonnet', 'anthropic: {reasoning: 2048}', 'anthropic/claude-sonnet-5?reasoning=2048'],
    ['sonnet', 'openai: {reasoning: high}', 'anthropic/claude-sonnet-5'],
  ])('the model %s reasons as its provider is configured: %s', (name, config, id) => {
    expect(read(`model: ${name}\n`, `${config}\n`).definition?.model).toEqual([id])
  })

  it('a reference without a definition, or one in a circle, is a warning', () => {
    const circle = 'model_references: {a: {b: $a.c, c: $a.b}}\n'
    expect(problemsOf(read('model: $a.b\n', circle))).toEqual([
      expect.stringContaining('"$a.b" is not defined in `model_references` of ../fast-agent.yaml'),
    ])
  })

  it('default_model is the model of cards without one that use a model', () => {
    expect(read('', 'default_model: haiku\n').definition?.model).toEqual(['anthropic/claude-haiku-4-5'])
    expect(read('model: opus\n', 'default_model: haiku\n').definition?.model).toEqual([
      'anthropic/claude-opus-5',
    ])
    expect(read('type: chain\nsequence: [b]\n', 'default_model: haiku\n').definition?.model).toEqual([])
  })

  it.each([
    [
      'generic.m',
      'generic: {base_url: "https://x/v1", api_key: "${K:none}"}',
      { generic: { apiKey: '${K:-none}', baseURL: 'https://x/v1', api: 'chat' } },
    ],
    [
      'responses.gpt-5',
      'openai: {api_key: a}\nresponses: {api_key: b, base_url: "https://x"}',
      { openai: { apiKey: 'b', baseURL: 'https://x', api: 'responses' } },
    ],
    ['sonnet', 'anthropic: {default_headers: {x: y}}', { anthropic: { headers: { x: 'y' } } }],
    [
      'groq.llama',
      '{}',
      { groq: { apiKey: '${GROQ_API_KEY:-}', baseURL: 'https://api.groq.com/openai/v1', api: 'chat' } },
    ],
    ['sonnet', 'openai: {api_key: a}', undefined],
    ['sonnet', 'anthropic: {api_key: "<your-key>"}', undefined],
  ])('the provider of the model %s is defined by %s', (model, config, providers) => {
    expect(read(`model: ${model}\n`, `${config}\n`).providers).toEqual(providers)
  })
})

describe('the settings of a fast-agent configuration', () => {
  it.each([
    ['fast-agent.config.yaml', true],
    ['.fast-agent/fastagent.config.yaml', true],
    ['other/fast-agent.yaml', false],
  ])('the configuration %s is read: %s', (file, isRead) => {
    const card = readProjectCard(CARD, {
      [CARD]: '---\ndescription: d\n---\nx\n',
      [file]: 'default_model: haiku\n',
    })
    expect(card.definition?.model).toEqual(isRead ? ['anthropic/claude-haiku-4-5'] : [])
  })

  it('the configuration of the home folder hides that of the workspace', () => {
    const more = { 'fast-agent.yaml': 'default_model: opus\n' }
    expect(read('', 'llm_retries: 1\n', more).definition?.model).toEqual([])
  })

  it('two configurations in one folder are an error', () => {
    const card = read('', 'default_model: haiku\n', {
      '.fast-agent/fastagent.config.yaml': 'default_model: opus\n',
    })
    expect(problemsOf(card)).toEqual([
      expect.stringContaining('error card_unsupported The folder has two fast-agent configurations'),
    ])
  })

  it('two files with secrets in one folder are an error', () => {
    const files = {
      '.fast-agent/fastagent.secrets.yaml': '{}\n',
      '.fast-agent/fast-agent.secrets.yaml': '{}\n',
    }
    expect(problemsOf(read('', '{}\n', files))).toEqual([
      expect.stringContaining('error card_unsupported The folder has two fast-agent files with secrets'),
    ])
  })

  it('a configuration that is not valid YAML is an error of every card', () => {
    expect(problemsOf(read('', 'mcp: [\n'))).toEqual([expect.stringContaining('error')])
  })

  it('retries, compaction and shell limits become settings of the agent', () => {
    const config =
      'llm_retries: 4\ncompaction: {auto: true, threshold: 0.7, keep_turns: 3}\nshell_execution: {timeout_seconds: 20, output_byte_limit: 9000}\n'
    const { definition } = read('shell: true\n', config)
    expect(definition?.limits).toMatchObject({ maxRetries: 4, toolTimeout: 20_000, maxToolResultBytes: 9000 })
    expect(definition?.context).toEqual({ strategy: 'summarise', threshold: 0.7, keepTurns: 3 })
    expect(read('shell: true\nagents: [b]\n', config).definition?.ownLimits).not.toContain('toolTimeout')
  })

  it('a shell in another environment is an error', () => {
    const config = 'default_environment: docker\nenvironments: {docker: {}}\n'
    expect(problemsOf(read('shell: true\n', config))).toEqual([
      expect.stringContaining(
        '`default_environment` in ../fast-agent.yaml: the shell of the agents would run on this computer',
      ),
    ])
    expect(problemsOf(read('', config))).toEqual([])
  })

  it('every other key is reported as ignored', () => {
    const { report } = read(
      '',
      'logger: {level: debug}\nsession_history: true\nmcp: {client: {}, targets: []}\nunheard: 1\n',
    )
    expect(
      report
        .filter(({ key }) => key.startsWith('../fast-agent.yaml'))
        .map(({ key, status }) => `${key} ${status}`),
    ).toEqual([
      '../fast-agent.yaml: logger ignored',
      '../fast-agent.yaml: session_history ignored',
      '../fast-agent.yaml: unheard ignored',
      '../fast-agent.yaml: mcp.client ignored',
    ])
  })

  it('skills in the folders of fast-agent are given to an agent with the default prompt or a list of skills in it', () => {
    const files = { '.fast-agent/skills/tidy/SKILL.md': 'x', [CONFIG]: '{}\n' }
    const skills = (card: string): readonly unknown[] | undefined =>
      readProjectCard(CARD, { ...files, [CARD]: card }).definition?.skills
    expect(skills('---\ndescription: d\n---\n')).toEqual(['../skills'])
    expect(skills('---\ndescription: d\n---\nHi {{agentSkills}}\n')).toEqual(['../skills'])
    expect(skills('---\ndescription: d\n---\nHi\n')).toEqual([])
    expect(skills('---\ndescription: d\nskills: []\n---\n')).toEqual([])
    expect(skills('---\ndescription: d\nskills: .fast-agent/skills/tidy\n---\nx')).toEqual(['../skills/tidy'])
  })
})

describe('the keys of a fast-agent card', () => {
  it.each([
    ['request_params: {tool_result_mode: passthrough}', 'request_params.tool_result_mode'],
    ['history_source: messages', 'history_source'],
    ['type: chain\nsequence: [b]\nshell: true', 'shell'],
  ])('a key that changes the agent and is not supported is a warning: %s', (keys, key) => {
    expect(problemsOf(read(`${keys}\n`, '{}\n'))).toEqual([
      expect.stringContaining(`warning key_without_effect \`${key}\``),
    ])
  })

  it.each([
    'subagents: false',
    'cwd: .\nshell: true',
    'request_params: {tool_result_mode: postprocess}',
    'use_history: false',
  ])('a key that changes nothing is no warning: %s', (keys) => {
    expect(problemsOf(read(`${keys}\n`, '{}\n'))).toEqual([])
  })

  it('request_params become settings and limits', () => {
    const { definition } = read(
      'request_params: {max_iterations: 7, streaming_timeout: 30, max_tokens: 50, parallel_tool_calls: false}\n',
      '{}\n',
    )
    expect(definition?.limits).toMatchObject({ maxTurns: 7, idleTimeout: 30_000, parallelToolCalls: false })
    expect(definition?.settings).toEqual({ maxOutputTokens: 50 })
  })

  it('the history of the caller is passed to children as the card says', () => {
    expect(read('history_source: orchestrator\n', '{}\n').definition?.historyMode).toBe('fork')
    const merged = 'history_source: orchestrator\nhistory_merge_target: orchestrator\n'
    expect(read(merged, '{}\n').definition?.historyMode).toBe('fork_and_merge')
  })

  it.each([
    ['type: smart', '{}', ['filesystem.read', 'filesystem.write']],
    ['shell: true', '{}', ['filesystem.read', 'filesystem.write']],
    ['shell: true', 'shell_execution: {enable_read_text_file: false}', ['filesystem.write']],
    ['shell: true', 'shell_execution: {write_text_file_mode: off}', ['filesystem.read']],
  ])(
    'a shell comes with reading and writing files, and what changes something asks: %s, %s',
    (keys, config, files) => {
      const { definition } = read(`${keys}\n`, `${config}\n`)
      expect(definition).toMatchObject({
        type: 'agent',
        runtimeTools: ['shell', 'filesystem'],
        tools: { allow: ['shell.execute', ...files] },
        permissions: { ask: ['shell.execute', ...files.filter((tool) => tool === 'filesystem.write')] },
      })
    },
  )

  it('an agent with a shell keeps its other tools, and no others', () => {
    const keys =
      'shell: true\nhuman_input: true\nskills: [x]\nservers: [a, b, c]\ntools: {a: [now, "get_*"], c: []}\nmcp_connect: {d: {target: "https://d.example"}}\n'
    expect(read(keys, '{}\n').definition?.tools).toEqual({
      allow: 'shell.execute filesystem.read filesystem.write human.* skill.* a__now a__get_* b__* d__*'.split(
        ' ',
      ),
    })
  })

  it('an agent with a shell whose tools are listed by name gets no others', () => {
    const keys = 'shell: true\nservers: [a]\ntools: {a__now: true, b__x: false}\n'
    expect(read(keys, '{}\n').definition).toMatchObject({
      tools: { allow: ['a__now'] },
      permissions: { deny: ['b__x'] },
    })
    const list = read('shell: true\nservers: [a]\ntools: [a__now]\n', '{}\n')
    expect(list.definition?.tools).toEqual({ allow: ['a__now'] })
  })

  it('a limit of the card applies before that of the shell', () => {
    const read20 = read('shell: true\ntool_timeout: 20s\n', 'shell_execution: {timeout_seconds: 90}\n')
    expect(problemsOf(read20)).toEqual([])
    expect(read20.definition?.limits.toolTimeout).toBe(20_000)
  })

  it('a shell without file tools has none, and a smart agent without a shell has neither', () => {
    const config = 'shell_execution: {enable_read_text_file: false, write_text_file_mode: "off"}\n'
    expect(read('shell: true\n', config).definition?.runtimeTools).toEqual(['shell'])
    expect(read('type: smart\nshell: false\n', '{}\n').definition?.runtimeTools).toEqual([])
  })

  it('an iterative_planner plans without an end unless the card sets one', () => {
    expect(read('type: iterative_planner\nagents: [b]\n', '{}\n').definition).toMatchObject({
      type: 'orchestrator',
      composition: { planIterations: -1 },
    })
  })

  it('a MAKER becomes a voting agent', () => {
    const keys =
      'type: MAKER\nworker: b\nk: 2\nmax_samples: 9\nmatch_strategy: normalized\nred_flag_max_length: 80\n'
    expect(read(keys, '{}\n').definition).toMatchObject({
      type: 'voting',
      composition: {
        worker: 'b',
        minLead: 2,
        maxSamples: 9,
        matchStrategy: 'normalized',
        maxSampleLength: 80,
      },
    })
  })

  it('spaces in names become underscores', () => {
    expect(read('name: my agent\n', '{}\n').definition?.name).toBe('my_agent')
    const file = '.fast-agent/agent-cards/my card.md'
    expect(readProjectCard(file, { [file]: '---\ndescription: d\n---\nx' }).definition?.name).toBe('my_card')
  })

  it('a card cannot be the default agent and a tool only', () => {
    expect(problemsOf(read('default: true\ntool_only: true\n', '{}\n'))).toEqual([
      expect.stringContaining('error card_bad_value'),
    ])
  })
})
