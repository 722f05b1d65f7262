import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Folder of a clone of a2aproject/a2a-tck, of its branch `1.0-dev`. */
const FOLDER = process.env['A2A_TCK'] ?? ''
/** Modules that the kit needs for the bindings over HTTP. */
const MODULES = 'import httpx, jsonschema, pytest, pytest_asyncio'
const PYTHON = ['/usr/bin/python3', 'python3'].find(
  (python) => spawnSync(python, ['-c', MODULES]).status === 0,
)

const REASON =
  FOLDER === ''
    ? 'A2A_TCK does not name the folder of the A2A compatibility kit'
    : existsSync(join(FOLDER, 'tests', 'compatibility'))
      ? PYTHON === undefined
        ? 'python3 with pytest, pytest-asyncio, httpx and jsonschema is missing'
        : ''
      : 'A2A_TCK names a folder without tests/compatibility'

/** True if the kit can run on this machine. */
export const HAS_TCK: boolean = REASON === ''
/** The end of the titles of tests that need the kit, if it is missing. */
export const TCK_NOTE: string = HAS_TCK ? '' : ` – NOT RUN: ${REASON}`

const CONFIG = `[pytest]
asyncio_mode = auto
addopts = -p no:cacheprovider
filterwarnings =
    ignore::pytest.PytestUnknownMarkWarning
`

/** A plugin that replaces gRPC, which this server does not offer, so that the kit can be imported without it. */
const WITHOUT_GRPC = `import sys
from unittest.mock import MagicMock

grpc = MagicMock()
grpc.RpcError = type("RpcError", (Exception,), {})
sys.modules["grpc"] = grpc
for name in (
    "google.rpc",
    "google.rpc.error_details_pb2",
    "google.rpc.status_pb2",
    "google.protobuf",
    "google.protobuf.json_format",
    "google.protobuf.descriptor",
    "specification.generated",
    "specification.generated.a2a_pb2",
    "specification.generated.a2a_pb2_grpc",
):
    sys.modules[name] = MagicMock()
`

/** The result of the kit. */
export interface TckReport {
  readonly passed: number
  /** Tests that failed, as `file::class::test[parameters]`. */
  readonly failed: readonly string[]
  readonly text: string
}

/** Runs the compatibility kit against the server at `url`. */
export async function runTck(url: string): Promise<TckReport> {
  const plugins = mkdtempSync(join(tmpdir(), 'troupe-tck-'))
  writeFileSync(join(plugins, 'own.ini'), CONFIG)
  writeFileSync(join(plugins, 'nogrpc.py'), WITHOUT_GRPC)
  const own = ['-c', join(plugins, 'own.ini'), '--rootdir=.', '-p', 'nogrpc', '-q', '-rf']
  const kit = spawn(
    PYTHON ?? 'python3',
    ['-m', 'pytest', ...own, 'tests/compatibility/', `--sut-host=${url}`, '--webhook-host', '127.0.0.1'],
    {
      cwd: FOLDER,
      env: {
        PATH: process.env['PATH'],
        PYTHONPATH: `.:${plugins}`,
        PYTHONDONTWRITEBYTECODE: '1',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let text = ''
  for (const stream of [kit.stdout, kit.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  await new Promise((resolve) => kit.once('close', resolve))
  rmSync(plugins, { recursive: true, force: true })
  const failed = Array.from(text.matchAll(/^(?:FAILED|ERROR) (\S+)/gmu), ([, name = '']) => name)
  const [, passed = '0'] = /(\d+) passed/u.exec(text) ?? []
  return { passed: Number(passed), failed, text }
}
