import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { validate } from 'dockerfile-utils'
import { describe, expect, it, onTestFinished } from 'vitest'

const IMAGE = path.join(import.meta.dirname, '../image')
const containerfile = readFileSync(path.join(IMAGE, 'Containerfile'), 'utf8')

const problemsOf = (text: string): readonly string[] =>
  validate(text).map(({ message }) => JSON.stringify(message))

/** Returns the instructions of each stage, without comments and with continued lines joined. */
function stagesOf(text: string): readonly (readonly string[])[] {
  const lines = text
    .replaceAll(/^#.*\n/gmu, '')
    .replaceAll(/\\\n\s*/gu, '')
    .split('\n')
  const stages: string[][] = []
  for (const line of lines) {
    if (line.startsWith('FROM ')) stages.push([])
    if (line !== '') stages.at(-1)?.push(line)
  }
  return stages
}

describe('the Containerfile', () => {
  it('the Containerfile passes its linter, which finds a misspelt instruction', () => {
    expect(problemsOf(containerfile)).toEqual([])
    expect(problemsOf(containerfile.replace('HEALTHCHECK', 'HEALTHCHEK'))).not.toEqual([])
    expect(problemsOf(containerfile.replace('--start-period', '--start-periode'))).not.toEqual([])
  })

  it('the last stages run nothing while they are built, and the image runs as a numeric user other than root', () => {
    const [, , ...last] = stagesOf(containerfile)
    expect(last).toHaveLength(2)
    const instructions = last.flat()
    expect(instructions.filter((line) => line.startsWith('RUN '))).toEqual([])
    expect(instructions.filter((line) => line.startsWith('USER '))).toEqual(['USER 10001:10001'])
    // without a shell, so that the command is process 1 and gets the signals
    expect(instructions.find((line) => line.startsWith('ENTRYPOINT '))).toMatch(/^ENTRYPOINT \["\/usr/u)
    expect(instructions.find((line) => line.startsWith('HEALTHCHECK '))).toContain('/readyz')
  })

  it('the image gets no secrets: no argument or variable of the Containerfile has the name of one', () => {
    const names = stagesOf(containerfile)
      .flat()
      .filter((line) => /^(?:ARG|ENV) /u.test(line))
    expect(names.join('\n')).not.toMatch(/KEY|TOKEN|SECRET|PASSWORD/u)
  })

  it('the cards get into the image without secrets, which the builder does not get either', () => {
    const [, cards = [], , team = []] = stagesOf(containerfile)
    expect(cards.at(-1)).toMatch(
      /^RUN rm -rf \/srv\/team\/deploy && find .*-name '\.env\*' -o -name '\*\.env'/u,
    )
    expect(team).toEqual(['FROM troupe AS team', 'COPY --from=cards /srv/team /srv/team'])
    const ignored = readFileSync(path.join(IMAGE, 'Containerfile.dockerignore'), 'utf8').split('\n')
    expect(ignored).toEqual(expect.arrayContaining(['deploy/*', '!deploy/image', '**/.env*', '**/*.env']))
  })
})

const SCRIPTS = ['build.sh', 'build-from-clone.sh', 'local-bases.sh']
const HAS_SHELLCHECK = spawnSync('shellcheck', ['--version']).error === undefined
const SHELL_NOTE = HAS_SHELLCHECK ? '' : ' – NOT RUN: there is no shellcheck'

describe('the scripts of the image', () => {
  it('a POSIX shell can read the scripts of the image', () => {
    for (const name of SCRIPTS)
      expect(spawnSync('sh', ['-n', path.join(IMAGE, name)], { encoding: 'utf8' })).toMatchObject({
        status: 0,
        stderr: '',
      })
  })

  it.skipIf(!HAS_SHELLCHECK)(`shellcheck finds nothing in the scripts of the image${SHELL_NOTE}`, () => {
    const files = SCRIPTS.map((name) => path.join(IMAGE, name))
    expect(spawnSync('shellcheck', files, { encoding: 'utf8' }).stdout).toBe('')
  })
})

/** Runs build.sh with these programs, which are bodies of shell scripts, and no other builder. */
function build(programs: Readonly<Record<string, string>>): {
  readonly status: number | null
  readonly stderr: string
} {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-build-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  symlinkSync('/usr/bin/dirname', path.join(folder, 'dirname'))
  for (const [name, body] of Object.entries(programs))
    writeFileSync(path.join(folder, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 })
  const { status, stderr } = spawnSync('/bin/sh', [path.join(IMAGE, 'build.sh'), 'localhost/team:1.2.3'], {
    env: { PATH: folder },
    encoding: 'utf8',
  })
  return { status, stderr }
}

const STOPPED_DOCKER = "echo 'Cannot connect to the Docker daemon.' >&2; exit 1"

describe('the builder that build.sh uses', () => {
  it('build.sh prints the message of a Docker whose daemon does not answer', () => {
    expect(build({ docker: STOPPED_DOCKER })).toEqual({
      status: 1,
      stderr: 'build.sh: docker is installed, but does not answer: Cannot connect to the Docker daemon.\n',
    })
  })

  it('build.sh names the programs that can build the image if none of them is installed', () => {
    expect(build({})).toEqual({ status: 1, stderr: 'build.sh: install docker, podman or buildah\n' })
  })

  it('build.sh uses Podman if Docker does not answer, and Docker if both can be used', () => {
    const podman = 'echo "podman $1" >&2'
    expect(build({ docker: STOPPED_DOCKER, podman })).toEqual({ status: 0, stderr: 'podman build\n' })
    const docker = '[ "$1" = info ] || echo "docker $1" >&2'
    expect(build({ docker, podman })).toEqual({ status: 0, stderr: 'docker build\n' })
  })
})

const BUILDS = process.env['BUILD_IMAGE'] !== undefined && spawnSync('buildah', ['--version']).status === 0
const BUILD_NOTE = BUILDS ? '' : ' – NOT RUN: BUILD_IMAGE is not set, or there is no buildah'
const TAG = 'localhost/troupe-test:1.2.3'

/** The parts of the configuration of an image that the test reads. */
interface ImageConfig {
  readonly Docker: {
    readonly config: {
      readonly User: string
      readonly Healthcheck: unknown
      readonly Labels: Readonly<Record<string, string>>
    }
  }
}

describe('the built image', () => {
  it.skipIf(!BUILDS)(
    `the image has less than 250 MB, its version, a user other than root, and the command${BUILD_NOTE}`,
    { timeout: 540_000 },
    () => {
      const env = {
        STORAGE_DRIVER: 'vfs',
        BUILDAH_ISOLATION: 'chroot',
        BUILD_BASE: 'localhost/troupe-build-base',
        RUN_BASE: 'localhost/troupe-run-base',
        ...process.env,
      }
      const run = (command: string, ...words: readonly string[]): string => {
        const { status, stdout, stderr } = spawnSync(command, words, { env, encoding: 'utf8' })
        if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`)
        return stdout
      }
      run(path.join(IMAGE, 'build-from-clone.sh'), TAG)
      try {
        const { config } = (JSON.parse(run('buildah', 'inspect', '--type', 'image', TAG)) as ImageConfig)
          .Docker
        expect(config.User).toBe('10001:10001')
        expect(config.Healthcheck).toBeDefined()
        expect(config.Labels['org.opencontainers.image.version']).toBe('1.2.3')
        const [size = '', unit] = run('buildah', 'images', '--format', '{{.Size}}', TAG).trim().split(' ')
        expect(unit).toBe('MB')
        expect(Number(size)).toBeLessThan(250)
        const container = run('buildah', 'from', '--pull-never', TAG).trim()
        try {
          expect(run('buildah', 'run', container, '--', 'troupe', 'check', 'team')).toContain('lead')
        } finally {
          run('buildah', 'rm', container)
        }
      } finally {
        run('buildah', 'rmi', TAG)
      }
    },
  )
})
