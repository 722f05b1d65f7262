import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TIME_TEAM, troupe } from './team.ts'

const LIBRARY = {
  'librarian.md': [
    '---',
    'name: librarian',
    'description: Answers questions about a library.',
    // A model that cannot be reached, which the script replaces.
    'model: openai/gpt-5-mini',
    'default: true',
    'agents: [clerk]',
    '---',
    'Ask the clerk.',
  ].join('\n'),
  'clerk.md': '---\nname: clerk\ndescription: Looks things up.\nmodel: openai/gpt-5-mini\n---\nLook it up.\n',
}
const SCRIPT = [
  'script:',
  '  agents:',
  '    librarian:',
  '      - call: [{ tool: agent__clerk, args: { text: opening hours } }]',
  "      - say: '{{results.0.text}}'",
  '    clerk:',
  '      - say: Nine to five.',
].join('\n')

function testFile(expectations: readonly string[], head = SCRIPT): Readonly<Record<string, string>> {
  const lines = [
    head,
    'tests:',
    '  - name: says when it is open',
    '    input: When are you open?',
    '    expect:',
  ]
  return {
    ...LIBRARY,
    'librarian.test.yaml': [...lines, ...expectations.map((each) => `      - ${each}`), ''].join('\n'),
  }
}

describe('troupe test', () => {
  it('troupe test runs a team with the answers of a script and prints a line for each test', async () => {
    const files = testFile([
      'contains: Nine',
      'not-contains: ten',
      'equals: Nine to five.',
      'not-equals: Nine.',
      'regex: ^Nine to \\w+',
      'not-regex: \\d',
      'tool-calls: agent__clerk',
      'tool-calls: { value: agent__clerk, args: { text: { regex: hours } }, count: 1 }',
      '{ type: not-tool-called, value: mail__send }',
      'agents: [clerk]',
      'turns: 2',
      'no-problems',
    ])
    const { code, out } = await troupe(['test'], files)
    expect(out()).toBe(
      'passed  librarian.test.yaml:9:5  says when it is open\n\n1 test: 1 passed, 0 failed\n',
    )
    expect(code).toBe(0)
  })

  it('troupe test exits with 3 and prints the reason, the location and the run of a failed test', async () => {
    const { code, out } = await troupe(
      ['test', 'librarian.test.yaml'],
      testFile(['contains: Nine', 'contains: Ten', 'not-tool-called: agent__clerk', 'turns: { max: 1 }']),
    )
    expect(out().split('\n')).toEqual([
      'failed  librarian.test.yaml:9:5  says when it is open',
      '  librarian.test.yaml:13:9  The answer does not contain "Ten".',
      '  librarian.test.yaml:14:9  The run called agent__clerk.',
      '  librarian.test.yaml:15:9  The run had 2 turns, not at most 1.',
      '  agent: librarian',
      '  outcome: completed',
      '  answer: "Nine to five."',
      '  calls:',
      '    librarian: agent__clerk {"text":"opening hours"}',
      '',
      '1 test: 0 passed, 1 failed',
      '',
    ])
    expect(code).toBe(3)
  })

  it.each([
    ['contains: x', 'The answer does not contain "x".'],
    ['not-contains: Nine', 'The answer contains "Nine".'],
    ['equals: Nine', 'The answer is not "Nine".'],
    ['not-equals: Nine to five.', 'The answer is "Nine to five.".'],
    ['regex: ^five', 'The answer does not match /^five/.'],
    ['not-regex: five', 'The answer matches /five/.'],
    ['json-schema: { type: object }', 'The answer is not JSON.'],
    ['tool-calls: [agent__clerk, mail__send]', 'The run did not call mail__send.'],
    [
      'tool-calls: { order: [mail__send, agent__clerk] }',
      'The run did not call mail__send, agent__clerk in this order',
    ],
    [
      'tool-calls: { value: agent__clerk, count: { min: 2 } }',
      'The run called agent__clerk once, not at least 2 times.',
    ],
    ['agents: [archivist]', 'The run did not use the agent archivist, but librarian, clerk.'],
  ])('the expectation %s fails with its own message', async (expectation, message) => {
    const { code, out } = await troupe(['test'], testFile([expectation]))
    expect(out()).toContain(`  librarian.test.yaml:12:9  ${message}`)
    expect(code).toBe(3)
  })

  it('a JSON answer is checked against a schema in a file', async () => {
    const schema = { type: 'object', properties: { open: { type: 'boolean' } }, required: ['open'] }
    const head = `script: { rules: [{ when: yes, say: '{"open": true}' }, { when: '', say: '{"open": 1}' }] }`
    const files: Readonly<Record<string, string>> = {
      ...testFile(['json-schema: open.schema.json'], head),
      'open.schema.json': JSON.stringify(schema),
    }
    const failed = await troupe(['test'], files)
    expect(failed.out()).toContain('The answer does not match the schema: ')
    const yes = (files['librarian.test.yaml'] ?? '').replace('When are you open?', 'yes')
    expect((await troupe(['test'], { ...files, 'librarian.test.yaml': yes })).code).toBe(0)
  })

  it('a test fails if its run does not complete, and its expectations are not checked', async () => {
    const head = 'agent: clerk\nscript: { agents: { librarian: [{ say: hi }] } }'
    const { code, out } = await troupe(['test'], testFile(['contains: Nine'], head))
    expect(out()).toContain('The run did not complete. Its outcome is failed.')
    expect(out()).toContain('model_script_exhausted')
    expect(out()).not.toContain('does not contain')
    expect(code).toBe(3)
  })

  it('troupe test gives a process of the team no keys and no variables but those of --env', async () => {
    const files = {
      'env.md':
        '---\nname: env\ndescription: d\nmodel: openai/gpt-5-mini\nfunctionTools: [env.mjs:read]\n---\nRead.\n',
      'env.mjs':
        'export function read(args, ctx) { return String(ctx?.run.env("OPENAI_API_KEY")) + String(ctx?.run.env("CITY")) }\nread.description = "Reads."\n',
      'env.test.yaml':
        "script: { agents: { env: [{ call: [{ tool: read }] }, { say: '{{results.0.text}}' }] } }\ntests: [{ name: reads, input: go, expect: [{ equals: undefinedOslo }] }]\n",
    }
    const { code, out } = await troupe(['test', '--env', 'CITY=Oslo'], files, {
      env: { OPENAI_API_KEY: 'sk-secret-key' },
    })
    expect([code, out()]).toEqual([0, expect.stringContaining('1 passed')])
  })

  it('a test replays a recording, with its input by default', async () => {
    const script = { ...TIME_TEAM }
    const recorded = await troupe(
      ['run', 'team', 'Now?', '--record', 'team/now.yaml', '--no-store', '-q'],
      script,
    )
    const files = { ...script, 'team/now.yaml': await recorded.folder.read('team/now.yaml') }
    const head = 'replay: now.yaml\ntests:\n  - name: replays\n'
    const expectations = '    expect: [{ contains: Paris }, { tool-calls: { value: now, count: 2 } }]\n'
    const passed = await troupe(['test'], { ...files, 'team/now.test.yaml': `${head}${expectations}` })
    expect([passed.code, passed.out()]).toEqual([0, expect.stringContaining('1 passed')])
    const other = { ...files, 'team/now.test.yaml': `${head}    input: Then?\n${expectations}` }
    const failed = await troupe(['test'], other)
    expect(failed.out()).toContain('replay_mismatch')
    expect(failed.code).toBe(3)
    const foreign = { ...files, 'team/now.test.yaml': `agent: City\n${head}${expectations}` }
    const refused = await troupe(['test'], foreign)
    expect(refused.out()).toContain('now.yaml is a recording of the agent Time, not of City.')
    expect(refused.code).toBe(2)
  })

  it('an unknown key of a test file is an error with its location and a suggestion, and exits with 2', async () => {
    const files = {
      'good.md': '---\ndescription: d\nmodel: passthrough\n---\nx\n',
      'a.test.yaml':
        'script: { rules: [{ when: x, says: hi }] }\nagnet: good\ntests:\n  - nam: x\n    expect:\n      - contain: hi\n',
      'b.test.yaml':
        'script: { rules: [{ when: "", say: hi }] }\ntests: [{ name: says hi, input: x, expect: [contains: hi] }]\n',
    }
    const { code, out } = await troupe(['test'], files)
    const lines = out().split('\n')
    expect(lines).toContain(
      'a.test.yaml:2:1  error  Unknown key `agnet`; did you mean `agent`? [test_file_invalid]',
    )
    expect(lines).toContain(
      'a.test.yaml:4:5  error  Unknown key `nam`; did you mean `name`? [test_file_invalid]',
    )
    expect(lines).toContain(
      'a.test.yaml:6:9  error  Unknown expectation `contain`; did you mean `contains`? [test_file_invalid]',
    )
    expect(lines).toContain(
      'a.test.yaml:1:30  error  Unknown key `says`; did you mean `say`? [test_file_invalid]',
    )
    expect(lines).toContain('passed  b.test.yaml:2:9  says hi')
    expect(lines).toContain('1 test: 1 passed, 0 failed, 1 file with errors')
    expect(code).toBe(2)
  })

  it.each([
    ['tests: []\n', 'a test file needs either `script` or `replay`'],
    ['script: a.yaml\nreplay: b.yaml\ntests: []\n', '`tests`: '],
    ['script: [\n', '[test_file_invalid]'],
    [
      'script: a.yaml\ntests: [{ name: x, expect: [{ tool-calls: { value: a, order: [a, b] } }] }]\n',
      'needs either `value` or `order`',
    ],
    [
      'script: a.yaml\ntests: [{ name: x, expect: [{ tool-calls: { value: [a, b], count: 1 } }] }]\n',
      'need one tool',
    ],
    ['script: a.yaml\ntests: [{ name: x, expect: [{ type: turns, max: none }] }]\n', 'tests.0.expect.0.max'],
    [
      'script: { agents: { a: [{ say: "{{nothing}}" }] } }\ntests: [{ name: x, expect: [contains: x] }]\n',
      'agents.a, step 1',
    ],
  ])('the test file %j is refused', async (text, message) => {
    const files = { 'good.md': '---\ndescription: d\nmodel: passthrough\n---\nx\n', 'a.test.yaml': text }
    const { code, out } = await troupe(['test'], files)
    expect(out()).toContain(message)
    expect(code).toBe(2)
  })

  it('a pattern that cannot run in linear time fails its test', async () => {
    const { code, out } = await troupe(['test'], testFile(['regex: (?=Nine)']))
    expect(out()).toContain('/(?=Nine)/ cannot be used as a pattern.')
    expect(code).toBe(3)
  })

  it('troupe test connects no MCP server outside this machine', async () => {
    const config = { mcpServers: { crm: { url: '${CRM_URL:-https://crm.example.com/mcp}' } } }
    const files = {
      ...testFile(['contains: Nine']),
      'clerk.md': '---\nname: clerk\ndescription: d\nmodel: passthrough\nservers: [crm]\n---\nLook it up.\n',
      'troupe.json': JSON.stringify(config),
    }
    const { code, out } = await troupe(['test'], files)
    expect(out()).toContain('The MCP server crm at ${CRM_URL:-https://crm.example.com/mcp} was not connected')
    expect(code).toBe(2)
  })

  it('troupe test fetches no page', async () => {
    const head = [
      'script:',
      '  agents:',
      '    reader:',
      '      - call: [{ tool: web.fetch, args: { url: "https://example.com/" } }]',
      "      - say: '{{results.0.text}}'",
    ].join('\n')
    const fields = 'runtimeTools: [fetch]\npermissions: { allow: [web.fetch] }'
    const files = {
      'reader.md': `---\nname: reader\ndescription: d\nmodel: openai/gpt-5-mini\n${fields}\n---\nRead.\n`,
      'reader.test.yaml': `${head}\ntests: [{ name: reads, input: go, expect: [no-problems] }]\n`,
    }
    const { code, out } = await troupe(['test'], files)
    expect(out()).toContain('https://example.com/ was not fetched, because tests run without the network.')
    expect(code).toBe(3)
  })

  it('a team that cannot be loaded is an error of the file, and exits with 2', async () => {
    const files = {
      'bad.test.yaml': 'agent: absent\nscript: a.yaml\ntests: [{ name: x, expect: [contains: x] }]\n',
    }
    const { code, out } = await troupe(['test'], files)
    expect(out()).toContain('absent')
    expect(code).toBe(2)
    const broken = testFile(['contains: Nine'])
    const child = await troupe(['test'], { ...broken, 'clerk.md': '---\nname: clerk\nmodl: x\n---\nx\n' })
    expect(child.out()).toMatch(/^librarian\.md:6:10 {2}error {2}.*clerk\.md: Unknown key `modl`/mu)
    expect(child.code).toBe(2)
  })

  it('troupe test without a test file is a usage error', async () => {
    const { code, err } = await troupe(['test'], LIBRARY)
    expect(err()).toContain('There is no *.test.yaml in .')
    expect(code).toBe(2)
  })

  it('troupe test finds test files in subfolders, but not in node_modules and hidden folders', async () => {
    const files = testFile(['contains: Nine'])
    const nested = Object.fromEntries(Object.entries(files).map(([name, text]) => [`team/${name}`, text]))
    const ignored = { 'node_modules/x/a.test.yaml': 'x', '.cache/b.test.yaml': 'x' }
    const { code, out } = await troupe(['test'], { ...nested, ...ignored })
    expect(out()).toContain('passed  team/librarian.test.yaml:9:5')
    expect(code).toBe(0)
  })

  it('--json prints all results as one object, and --junit writes them for CI', async () => {
    const files = {
      ...testFile(['contains: Nine', 'contains: "<Ten> & \\"more\\""']),
      'bad.test.yaml': 'x: 1\n',
    }
    const { code, out, folder } = await troupe(['test', '--json', '--junit', 'reports/troupe.xml'], files)
    const results = JSON.parse(out()) as Record<string, unknown>
    expect(results).toMatchObject({
      passed: 0,
      failed: 1,
      errors: 1,
      files: [
        { file: 'bad.test.yaml', tests: [], problems: expect.arrayContaining([]) as unknown },
        {
          file: 'librarian.test.yaml',
          tests: [
            {
              name: 'says when it is open',
              line: 9,
              column: 5,
              failures: [{ line: 13, column: 9, message: expect.stringContaining('<Ten>') as unknown }],
            },
          ],
        },
      ],
    })
    expect(code).toBe(2)
    const xml = readFileSync(join(folder.path, 'reports/troupe.xml'), 'utf8')
    expect(xml.replaceAll(/time="[\d.]+"/gu, 'time="0"')).toContain(
      [
        '<testsuite name="librarian.test.yaml" tests="1" failures="1" errors="0" time="0">',
        '<testcase name="says when it is open" classname="librarian.test.yaml" file="librarian.test.yaml" line="9" time="0"><failure message="The answer does not contain &quot;&lt;Ten&gt; &amp; \\&quot;more\\&quot;&quot;.">librarian.test.yaml:13:9',
      ].join('\n'),
    )
    expect(xml).toMatch(
      /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites tests="2" failures="1" errors="1"/u,
    )
    expect(xml).toContain('<error message="')
  })
})
