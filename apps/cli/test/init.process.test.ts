import { execFile } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { startFakeOpenAI } from '@troupe/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { toNodeArgs } from './start-program.ts'
import { project } from './team.ts'

const run = promisify(execFile)

it('a shell runs troupe init and every command that it prints', { timeout: 120_000 }, async () => {
  const provider = await startFakeOpenAI({ answers: () => ({ text: 'Please send the file.' }) })
  onTestFinished(() => provider.close())
  const { path } = await project({})
  await mkdir(join(path, 'bin'))
  const program = [process.execPath, ...toNodeArgs()].map((word) => `'${word}'`).join(' ')
  await writeFile(join(path, 'bin/troupe'), `#!/bin/sh\nexec ${program} "$@"\n`)
  await chmod(join(path, 'bin/troupe'), 0o755)
  const env = {
    PATH: [join(path, 'bin'), process.env['PATH']].join(delimiter),
    HOME: path,
    OPENAI_API_KEY: 'sk-fake-1',
    OPENAI_BASE_URL: provider.baseURL,
  }
  const { stderr } = await run('sh', ['-c', 'troupe init demo --template meta-mcp'], { cwd: path, env })
  const commands = Array.from(stderr.matchAll(/^ {2}((?:cd|troupe) .+)$/gmu), ([, command = '']) => command)
  expect(commands).toHaveLength(5)
  const { stdout } = await run('sh', ['-c', `set -e\n${commands.join('\n')}`], { cwd: path, env })
  expect(stdout).toContain('Please send the file as soon as possible.\n')
  expect(stdout).toContain('"mcpServers"')
  expect(stdout).toContain('1 test: 1 passed, 0 failed')
  expect(stdout).toMatch(/Please send the file\.\n$/u)
})
