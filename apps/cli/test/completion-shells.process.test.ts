import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { project, TIME_TEAM } from './team.ts'

/** Ctrl-X, bound to a command that prints the line, and Ctrl-U. */
const [LINE_KEY, KILL_LINE] = ['\u0018', '\u0015']

/** Returns a folder with a team and the program as `troupe`, and the environment of a shell in it. */
async function teamFolder(): Promise<{ readonly cwd: string; readonly env: NodeJS.ProcessEnv }> {
  const { path } = await project({
    ...TIME_TEAM,
    'bin/troupe': `#!/bin/sh\nexec "${process.execPath}" "${inject('program')}" "$@"\n`,
  })
  await chmod(join(path, 'bin/troupe'), 0o755)
  const PATH = [join(path, 'bin'), process.env['PATH']].join(delimiter)
  return { cwd: path, env: { PATH, HOME: path, TERM: 'xterm', LC_ALL: 'C.UTF-8' } }
}

const PROMPT = 'ready> '

/** Types lines into a shell at a pseudo-terminal, each once the line key has printed the one before it. Returns what was printed for each. */
async function typeInto(
  command: string,
  setUp: string,
  lines: readonly string[],
): Promise<readonly string[]> {
  const child = spawn('script', ['-qfec', command, '/dev/null'], { ...(await teamFolder()), stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  let screen = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text
  })
  const seen = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const [found] = pattern.exec(screen) ?? []
      if (found !== undefined) {
        screen = ''
        return found
      }
      await once(child.stdout, 'data')
    }
  }
  // input is lost if it is typed before the shell reads its lines itself
  child.stdin.write(`${setUp}\n`)
  await seen(new RegExp(`\n[^\n]*${PROMPT}`, 'u'))
  const shown: string[] = []
  for (const line of lines) {
    child.stdin.write(`${line}${LINE_KEY}`)
    shown.push((await seen(/<troupe [^<>\n]*>/u)).slice(1, -1).trimEnd())
    child.stdin.write(KILL_LINE)
  }
  child.stdin.end('exit\n')
  await once(child, 'close')
  return shown
}

function missing(...programs: readonly string[]): boolean {
  return programs.some((program) => spawnSync(program, ['--version']).error !== undefined)
}

/** Lines to complete: a command, a card and an agent. */
const TYPED = [
  'troupe che\t',
  'troupe run team/ci\t',
  'troupe run team --agent Ti\t',
  'troupe run team --agent=Ci\t',
]
const COMPLETED = [
  'troupe check',
  'troupe run team/city.md',
  'troupe run team --agent Time',
  'troupe run team --agent=City',
]

// each key press starts the program from its sources
describe('completion in real shells', { timeout: 120_000 }, () => {
  it.skipIf(missing('bash', 'script'))('bash completes commands, cards and agents', async () => {
    const setUp = `PS1='ready'"> "; eval "$(troupe completion bash)"; bind -x '"\\C-x": printf "<%s>\\n" "$READLINE_LINE"'`
    expect(await typeInto('bash --norc --noprofile -i', setUp, TYPED)).toEqual(COMPLETED)
  })

  it.skipIf(missing('zsh', 'script'))('zsh completes commands, cards and agents', async () => {
    const setUp =
      'PS1="ready""> "; autoload -Uz compinit; compinit -u -D; eval "$(troupe completion zsh)"; ' +
      `show() { print -r -- "<$BUFFER>" }; zle -N show; bindkey '^X' show; bindkey '^U' kill-whole-line`
    expect(await typeInto('zsh -f -i', setUp, TYPED)).toEqual(COMPLETED)
  })

  it.skipIf(missing('fish'))('fish completes commands, cards and agents', async () => {
    const ask = TYPED.map((line) => `complete -C '${line.trimEnd()}'`)
    const { stdout } = spawnSync(
      'fish',
      ['--no-config', '-c', ['troupe completion fish | source', ...ask].join('; ')],
      {
        ...(await teamFolder()),
        encoding: 'utf8',
      },
    )
    const offered = stdout.split('\n').map((line) => line.split('\t')[0])
    expect(offered).toEqual(['check', 'team/city.md', 'Time', '--agent=City', ''])
  })
})
