import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** Runs a file in a fresh Node process and returns the JSON it prints. Rejects with its standard error if it fails. */
export async function startNode(
  file: URL,
  options: { readonly flags: readonly string[]; readonly args?: readonly string[] },
): Promise<unknown> {
  const argv = [...options.flags, file.pathname, ...(options.args ?? [])]
  const { stdout } = await execute(process.execPath, argv, { env: plainEnvironment() })
  return JSON.parse(stdout)
}

/** Returns the environment without variables that change how Node starts, or that make a peer send traces. */
function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !EXCLUDED.test(name)))
}

const EXCLUDED = /^(NODE_OPTIONS|NODE_COMPILE_CACHE|NODE_V8_COVERAGE|LANGSMITH_.*|LANGCHAIN_.*|OPENAI_.*)$/u
