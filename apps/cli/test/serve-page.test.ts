import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveCommand, type ServeOptions } from '../src/commands/serve.ts'
import { testContext, type TestContext } from './test-context.ts'

const CARD = '---\nname: Echo\ndescription: Repeats.\nmodel: passthrough\n---\nRepeat.\n'

/** Serves one agent in this process, as on a terminal if `tty` is true, until the test ends. */
async function serve(
  options: ServeOptions,
  { tty, config }: { readonly tty: boolean; readonly config?: object },
): Promise<TestContext> {
  const cwd = await mkdtemp(join(tmpdir(), 'troupe-serve-'))
  if (config !== undefined) await writeFile(join(cwd, 'troupe.json'), JSON.stringify(config))
  await writeFile(join(cwd, 'echo.md'), CARD)
  const context = testContext({ cwd, tty })
  const served = serveCommand(['echo.md'], { port: '0', store: false, ...options }, context)
  onTestFinished(async () => {
    context.stop.request('SIGTERM')
    await served
    await rm(cwd, { recursive: true })
  })
  await expect.poll(context.out).toContain('# troupe serves')
  return context
}

function urlIn(out: string): string {
  return /^# troupe serves Echo at (\S+)$/mu.exec(out)?.[1] ?? ''
}

describe('the first lines of troupe serve', () => {
  it('troupe serve prints three lines and opens the page when the user types o and Enter', async () => {
    const context = await serve({}, { tty: true })
    const url = urlIn(context.out())
    expect(context.out()).toBe(
      `# troupe serves Echo at ${url}\n# page: ${url}/ (o and Enter open it)\n# --verbose prints an example request for each protocol\n`,
    )
    context.type('no\no\n')
    await expect.poll(() => context.opened).toEqual([`${url}/`])
  })

  it('troupe serve does not read its input if that is no terminal', async () => {
    const context = await serve({}, { tty: false })
    expect(context.out()).toContain(`# page: ${urlIn(context.out())}/\n`)
    expect(context.terminal.stdin.readableFlowing).toBeNull()
  })

  it('troupe serve prints the paths of the webhooks in one line, also with --verbose, unless they are disabled', async () => {
    const hook = { agent: 'Echo', secret: 'a-secret-of-the-webhook', input: 'x' }
    const config = {
      hooks: [
        { ...hook, name: 'push' },
        { ...hook, name: 'deploy' },
      ],
    }
    const line = '\n# webhooks: /hooks/push, /hooks/deploy\n'
    for (const options of [{}, { verbose: true }])
      expect((await serve(options, { tty: false, config })).out()).toContain(line)
    for (const disabled of [
      await serve({ hooks: false }, { tty: false, config }),
      await serve({}, { tty: false, config: { ...config, server: { without: ['hooks'] } } }),
      await serve({}, { tty: false }),
    ])
      expect(disabled.out()).not.toContain('webhooks')
  })

  it('troupe serve does not name a page that is not served', async () => {
    const context = await serve({ web: false }, { tty: true })
    expect(context.out()).not.toContain('page')
  })
})
