import { tempProject } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { convertCard, errorsOf, parseCard, readCard, readCardFolder, type ParsedCard } from './cards.ts'

const parse = (text: string): ParsedCard => parseCard(text, { path: '/agents/porter.yaml' })

/** An agent with these further lines. */
const agent = (lines: string, settings = ''): string =>
  `metadata: {name: Porter, description: Answers guests.}\nsettings: {model: "gemini:gemini-2.5-flash"${settings}}\nsystemPrompt: You answer guests.\n${lines}\n`

async function project(files: Readonly<Record<string, string>>): Promise<string> {
  const { path, remove } = await tempProject(files)
  onTestFinished(remove)
  return path
}

describe('rules and references of tsagent', () => {
  it('rules and references that are always included follow the prompt by priority, references first', () => {
    const { definition } = parse(
      agent(`rules:
  - {name: b, priorityLevel: 900, text: Be brief., include: always}
  - {name: a, priorityLevel: 10, text: Be polite., include: always}
references:
  - {name: hours, text: Open from nine to five., include: always}`),
    )
    expect(definition?.instruction).toBe(
      'You answer guests.\n\nReference: Open from nine to five.\n\nRule: Be polite.\n\nRule: Be brief.',
    )
    expect(definition?.skills).toEqual([])
  })

  it('all other rules and references become skills, and those for mentions say so', () => {
    const { definition, problems } = parse(
      agent(`rules:
  - {name: Lost keys, description: A guest lost a key., text: Call the porter., include: agent}
references:
  - {name: menu, text: Soup.}
  - {name: off, text: Old., enabled: false}`),
    )
    expect(problems).toEqual([])
    expect(definition?.skills).toEqual([
      { name: 'menu', description: 'menu (Read it only if a message mentions @ref:menu.)', text: 'Soup.' },
      { name: 'lost-keys', description: 'A guest lost a key.', text: 'Call the porter.' },
    ])
    expect(definition?.tools.allow).toEqual(['skill.read'])
  })

  it('a rule and a reference of the same name become two skills', () => {
    const text = agent(
      'rules: [{name: tea, text: Serve it., include: agent}]\nreferences: [{name: tea, text: Green., include: agent}]',
    )
    expect(parse(text).definition?.skills).toMatchObject([{ name: 'tea' }, { name: 'rule-tea' }])
  })

  it('convert keeps rules and references as skills of the card', () => {
    const text = agent('rules: [{name: tea, description: Tea., text: Serve it., include: agent}]')
    const [card] = convertCard(text, { path: '/agents/porter.yaml' }).cards
    const again = parseCard(card?.text ?? '', { path: '/agents/porter.md' })
    expect(again.dialect).toBe('troupe')
    expect(again.definition?.skills).toEqual(parse(text).definition?.skills)
  })

  it('an agent without a prompt and a description gets its name as the prompt', () => {
    const { definition, problems } = parse('metadata: {name: Porter}\nsystemPrompt: ""\n')
    expect(definition?.instruction).toBe('You are Porter.')
    expect(problems.map(({ code }) => code)).toEqual(['card_no_description'])
  })
})

const SERVER = `mcpServers:
  files:
    command: files-server`

describe('MCP servers of tsagent', () => {
  it('every tool of a server needs approval unless its settings say otherwise', () => {
    const { definition } = parse(agent(`${SERVER}\n    tools: {read: {permissionRequired: false}}`))
    expect(definition?.mcpServers['files']?.requiresApproval).toBe(true)
    expect(definition?.permissions.allow).toEqual(['files__read'])
    expect(definition?.tools.allow).toEqual(['files__*'])
  })

  it('settings of single tools and the older keys are read', () => {
    const { definition } = parse(
      agent(
        `${SERVER}\n    toolPermissionRequired: {serverDefault: false, tools: {wipe: true}}\n    toolInclude: {serverDefault: always, tools: {list: manual}}`,
      ),
    )
    expect(definition?.mcpServers['files']?.requiresApproval).toEqual(['wipe'])
    expect(definition?.permissions.deny).toEqual(['files__list'])
  })

  it('a tool that only a message can include is not offered', () => {
    const { definition } = parse(
      agent(
        `${SERVER}\n    serverToolDefaults: {permissionRequired: false, include: manual}\n    tools: {read: {include: always}}`,
      ),
    )
    expect(definition?.tools.allow).toEqual(['files__read'])
  })

  it.each([
    ['tool', ['files__read'], ['files']],
    ['always', [], []],
    ['never', ['files__*'], ['files']],
  ])(
    'an autonomous agent with toolPermission %s gets no tool that needs permission',
    (mode, tools, servers) => {
      const text = agent(
        `${SERVER}\n    tools: {read: {permissionRequired: false}, wipe: {permissionRequired: true}}`,
        `, toolPermission: ${mode}`,
      ).replace('name: Porter', 'name: Porter, autonomous: true')
      const { definition } = parse(text)
      expect(definition?.tools.allow).toEqual(tools)
      expect(Object.keys(definition?.mcpServers ?? {})).toEqual(servers)
    },
  )

  it('a server whose tools are all left out causes a warning', () => {
    const { problems } = parse(agent(`${SERVER}\n    serverToolDefaults: {include: manual}`))
    expect(problems).toMatchObject([
      {
        severity: 'warning',
        code: 'key_without_effect',
        line: 5,
        message: expect.stringContaining('`files`'),
      },
    ])
  })

  it('a server with a URL and no type is an SSE server, and env:// values become variables', () => {
    const { definition } = parse(
      agent('mcpServers: {web: {url: "https://web.example/sse", headers: {Authorization: "env://WEB_KEY"}}}'),
    )
    expect(definition?.mcpServers['web']).toMatchObject({
      type: 'sse',
      headers: { Authorization: '${WEB_KEY}' },
    })
  })

  it('a value of 1Password is an error with its position', () => {
    const { problems } = parse(agent('mcpServers: {web: {command: w, env: {KEY: "op://vault/key"}}}'))
    expect(problems).toMatchObject([{ severity: 'error', code: 'card_unsupported', line: 4 }])
  })

  it('an internal server that changes the agent has no effect and a warning, one that lists texts has none', () => {
    const card = parse(
      agent('mcpServers: {rules: {type: internal, tool: rules}, own: {type: internal, tool: tools}}'),
    )
    expect(card.problems).toMatchObject([{ severity: 'warning', message: expect.stringContaining('`own`') }])
    expect(card.definition?.mcpServers).toEqual({})
  })
})

describe('providers and supervisors of tsagent', () => {
  it('the provider of the model gets its key from the variable that the file names', () => {
    const card = parse(agent('providers: {gemini: {GOOGLE_API_KEY: "env://GOOGLE_API_KEY"}, openai: {}}'))
    expect(card.problems).toEqual([])
    expect(card.providers).toEqual({ google: { apiKey: '${GOOGLE_API_KEY}' } })
  })

  it('a key in the file is not used and not converted, with a warning', () => {
    const text = agent('providers: {gemini: {GOOGLE_API_KEY: secret-1}}')
    expect(parse(text).problems).toMatchObject([{ severity: 'warning', code: 'key_without_effect' }])
    const [card] = convertCard(text, { path: '/agents/porter.yaml' }).cards
    expect(card?.text).not.toContain('secret-1')
  })

  it('an agent runs as many turns as in tsagent, and schedules are a warning', () => {
    expect(parse(agent('')).definition?.limits.maxTurns).toBe(20)
    expect(parse(agent('', ', maxChatTurns: "7"')).definition?.limits.maxTurns).toBe(7)
    expect(parse(agent('schedules: [{cron: "0 9 * * *", prompt: Report.}]')).problems).toMatchObject([
      { severity: 'warning', code: 'key_without_effect' },
    ])
  })

  it('an agent with supervisors is refused', () => {
    expect(errorsOf(parse(agent('supervisors: [{id: guard, type: guardian}]')))).toEqual([
      expect.stringContaining('4:1 card_unsupported'),
    ])
    expect(parse(agent('supervisors: []')).problems).toEqual([])
  })
})

describe('files of tsagent', () => {
  const vectors = (indent: string): string => {
    const row = `${indent}- [ ${Array.from({ length: 384 }, () => '-0.0123456789').join(', ')} ]\n`
    return `${indent}embeddings: # generated\n${row.repeat(300)}`
  }

  it('a file over the size limit of cards is read if the rest of it is small', async () => {
    const text = `${agent('rules:\n  - name: tea\n    text: Serve it.\n    include: always')}${vectors('    ')}supervisors: [{id: x}]\n`
    expect(text.length).toBeGreaterThan(1024 * 1024)
    const folder = await project({ 'porter.yaml': text })
    const [inFolder] = readCardFolder(folder)
    const card = readCard(`${folder}/porter.yaml`)
    expect(card.definition?.instruction ?? card.problems).toEqual([
      expect.objectContaining({ code: 'card_unsupported', line: text.split('\n').length - 1 }),
    ])
    expect(inFolder?.problems).toEqual(card.problems)
  })

  it('a JSON file with search vectors is read', async () => {
    const data = {
      metadata: { name: 'Porter', description: 'd' },
      systemPrompt: 'You answer.',
      rules: [
        {
          name: 'a',
          text: 'Be kind.',
          include: 'always',
          embeddings: Array(400).fill(Array(384).fill(-1e-9)),
        },
      ],
    }
    const folder = await project({ 'porter.json': JSON.stringify(data).padEnd(1024 * 1024 + 1) })
    expect(readCard(`${folder}/porter.json`).definition?.instruction).toBe('You answer.\n\nRule: Be kind.')
  })

  it('a prompt with a line `embeddings:` stays as it is', () => {
    const { definition } = parse(
      'metadata: {name: Porter, description: d}\nsystemPrompt: |\n  Keys:\n  embeddings:\n    - a list\n',
    )
    expect(definition?.instruction).toBe('Keys:\nembeddings:\n  - a list')
  })

  it('a large file of another kind is still too large', async () => {
    const folder = await project({ 'porter.yaml': `${agent('')}# ${'x'.repeat(1024 * 1024)}\n` })
    expect(readCard(`${folder}/porter.yaml`).problems).toMatchObject([{ code: 'card_too_large' }])
  })

  it('the older folder layout is read: settings, prompt.md, rules and references', async () => {
    const folder = await project({
      'tsagent.yaml': 'metadata: {name: Porter, description: d}\nsettings: {model: "openai:gpt-5"}\n',
      'prompt.md': 'You answer guests.\n',
      'rules/polite.mdt': '---\nname: polite\npriorityLevel: 1\ninclude: always\n---\nBe polite.\n',
      'refs/menu.mdt': '---\nname: menu\ndescription: "What there is"\ninclude: agent\n---\nSoup.\n',
      'refs/old.mdt': '---\nname: old\nenabled: false\n---\nGone.\n',
    })
    const { definition, problems } = readCard(`${folder}/tsagent.yaml`)
    expect(problems).toEqual([])
    expect(definition?.instruction).toBe('You answer guests.\n\nRule: Be polite.')
    expect(definition?.skills).toEqual([{ name: 'menu', description: 'What there is', text: 'Soup.\n' }])
  })

  it('a folder without prompt.md is an error', async () => {
    const folder = await project({
      'tsagent.yaml': 'metadata: {name: Porter, description: d}\nsettings: {model: "openai:gpt-5"}\n',
    })
    expect(errorsOf(readCard(`${folder}/tsagent.yaml`))).toEqual([
      expect.stringContaining('card_include prompt.md cannot be read'),
    ])
  })
})
