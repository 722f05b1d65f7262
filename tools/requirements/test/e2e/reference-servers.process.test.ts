import { readFile, realpath, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createHost, type Host } from '@troupe/host'
import { resultText, type JsonObject, type McpServerConfig } from '@troupe/schema'
import { tempProject, verifies } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'

const require = createRequire(import.meta.url)

/** Returns the path of an installed reference server, so that nothing is downloaded. */
function program(name: string): string {
  return join(dirname(require.resolve(`@modelcontextprotocol/${name}/package.json`)), 'dist/index.js')
}

const PROVES_CARDS = verifies('C1', 'C35', 'B40')

describe('the reference servers from npm, through cards', () => {
  it(`an agent writes and reads with the filesystem server within its folder, and not outside it ${PROVES_CARDS}`, async () => {
    const { host, folder } = await teamWith('server-filesystem', { args: ['notes'] }, [
      call('write_file', { path: 'todo.txt', content: 'water the plants' }),
      call('read_text_file', { path: 'todo.txt' }),
      say('{{results.0.text}}'),
    ])
    const { tools, release } = await host.tools(undefined)
    const reads = tools.filter(({ effect }) => effect === 'read').map(({ name }) => name)
    expect(reads).toContain('it__read_text_file')
    expect(reads).not.toContain('it__write_file')
    await release()
    const report = await host.run(undefined, 'go', { approve: () => ({ decision: 'approved' }) })
    expect(report.output?.text).toContain('water the plants')
    expect(await readFile(join(folder, 'notes/todo.txt'), 'utf8')).toBe('water the plants')
    const beyond = await host.callTool(undefined, 'it__read_text_file', { path: join(folder, 'troupe.json') })
    expect(resultText(beyond)).toMatch(/outside allowed/u)
  })

  it(`a run finds what an earlier run stored with the memory server ${PROVES_CARDS}`, async () => {
    const { host } = await teamWith('server-memory', { env: { MEMORY_FILE_PATH: 'graph.jsonl' } }, [
      call('search_nodes', { query: 'Ada' }),
      say('{{results.0.text}}'),
    ])
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['likes engines'] }]
    const approve = (): { readonly decision: 'approved' } => ({ decision: 'approved' })
    await host.callTool(undefined, 'it__create_entities', { entities }, { approve })
    const report = await host.run(undefined, 'who likes engines?')
    expect(report.output?.text).toContain('likes engines')
  })

  it(`an agent receives a text, a sum with progress and an image from the everything server ${PROVES_CARDS}`, async () => {
    const { host } = await teamWith('server-everything', { args: ['stdio'] }, [
      call('echo', { message: 'hello' }),
      call('trigger-long-running-operation', { duration: 1, steps: 2 }),
      say('{{results.0.text}}'),
    ])
    const progress: string[] = []
    const report = await host.run(undefined, 'go', {
      onEvent: (event) => {
        if (event.type === 'tool-progress') progress.push(event.text)
      },
    })
    expect(report.outcome).toBe('completed')
    expect(progress).toEqual(['1/2', '2/2'])
    const picture = await host.callTool(undefined, 'it__get-tiny-image', {})
    expect(picture.content.map(({ type }) => type)).toContain('data')
  })

  it('an agent reads the resources of a server if its definition allows it', async () => {
    const { host } = await teamWith('server-everything', { args: ['stdio'], resources: true }, [
      call('list_resources', {}),
      say('{{results.0.text}}'),
    ])
    const listed = JSON.parse((await host.run(undefined, 'go')).output?.text ?? '') as {
      readonly resources: readonly { readonly uri: string }[]
      readonly templates: readonly unknown[]
    }
    const [first] = listed.resources
    expect(listed.templates.length).toBeGreaterThan(0)
    const read = await host.callTool(undefined, 'it__read_resource', { uri: first?.uri ?? '' })
    expect(resultText(read).length).toBeGreaterThan(20)
    const missing = await host.callTool(undefined, 'it__read_resource', { uri: 'demo://nothing/there' })
    expect(missing.failure?.code).toBe('mcp_failed')
  })

  it(`the prompts of a server are returned with their arguments filled in ${verifies('C35')}`, async () => {
    const { host } = await teamWith('server-everything', { args: ['stdio'] }, [])
    const { prompts } = await host.servers.prompts('it')
    expect(prompts.map(({ name, arguments: args }) => [name, args.map((arg) => arg.required)])).toEqual([
      ['simple-prompt', []],
      ['args-prompt', [true, false]],
      ['completable-prompt', [true, true]],
      ['resource-prompt', [true, true]],
    ])
    const ask = (
      prompt: string,
      args: Readonly<Record<string, string>>,
    ): ReturnType<Host['servers']['prompt']> => host.servers.prompt('it', { prompt, args })
    expect(await ask('args-prompt', { city: 'Faro' })).toEqual({
      messages: [{ role: 'user', content: [{ type: 'text', text: "What's weather in Faro?" }] }],
      warnings: [],
    })
    await expect(ask('args-promt', {})).rejects.toMatchObject({
      code: 'mcp_unknown_prompt',
      message: expect.stringContaining('did you mean "args-prompt"?'),
    })
    await expect(ask('args-prompt', { state: 'x' })).rejects.toMatchObject({
      code: 'mcp_prompt_arguments',
      message: 'The prompt "args-prompt" requires city (Name of the city).',
    })
    await expect(ask('args-prompt', { city: 'x', sate: 'y' })).rejects.toMatchObject({
      code: 'mcp_prompt_arguments',
      message: expect.stringContaining('did you mean "state"? Its arguments: city, state.'),
    })
    await expect(ask('resource-prompt', { resourceType: 'Nothing', resourceId: '1' })).rejects.toMatchObject({
      code: 'mcp_failed',
    })
  })

  it('the user of a run is asked when a server elicits input', async () => {
    const { host } = await teamWith('server-everything', { args: ['stdio'] }, [
      call('trigger-elicitation-request', {}),
      say('{{results.0.text}}'),
    ])
    const asked: string[] = []
    const report = await host.run(undefined, 'go', {
      ask: ({ question }) => {
        asked.push(question)
        return { answered: true, text: 'decline' }
      },
    })
    expect(asked).toEqual([expect.stringContaining('The MCP server "it" asks: ')])
    expect(report.output?.text).toMatch(/decline/iu)
  })
})

function call(tool: string, args: JsonObject): JsonObject {
  return { call: [{ tool: `it__${tool}`, args }] }
}

function say(text: string): JsonObject {
  return { say: text }
}

/** Returns an agent with one of the reference servers, and the script of its model. */
async function teamWith(
  server: string,
  { args = [], env = {}, ...more }: Partial<McpServerConfig>,
  steps: readonly JsonObject[],
): Promise<{ readonly host: Host; readonly folder: string }> {
  const project = await tempProject({
    'worker.md': '---\ndescription: Works.\nservers: [it]\nmodel: script/steps.yaml\n---\nUse the tools.\n',
    'steps.yaml': JSON.stringify({ agents: { worker: steps } }),
    'notes/.keep': '',
    'troupe.json': '{}',
  })
  onTestFinished(() => project.remove())
  const folder = await realpath(project.path)
  const definition = {
    command: process.execPath,
    args: [program(server), ...args],
    // a busy machine may start it slowly
    startTimeout: '10m',
    ...more,
    env: Object.fromEntries(Object.entries(env).map(([name, file]) => [name, join(folder, file)])),
  }
  await writeFile(join(folder, 'troupe.json'), JSON.stringify({ mcpServers: { it: definition } }))
  const host = await createHost({ cards: ['worker.md'], cwd: folder })
  onTestFinished(() => host.close())
  return { host, folder }
}
