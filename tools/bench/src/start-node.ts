import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** Runs a file in a fresh Node process and reads the JSON it prints. Rejects, with what it wrote to stderr, when it fails. */
export async function startNode(
  file: URL,
  options: { readonly flags: readonly string[]; readonly args?: readonly string[] },
): Promise<unknown> {
  const argv = [...options.flags, file.pathname, ...(options.args ?? [])]
  const { stdout } = await execute(process.execPath, argv, { env: plainEnvironment() })
  return JSON.parse(stdout)
}

/** Without the variables that change how Node starts. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _, NODE_COMPILE_CACHE: __, NODE_V8_COVERAGE: ___, ...rest } = process.env
  return rest
}
