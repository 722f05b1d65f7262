import { startProgram, type Program } from './start-program.ts'

/** Serves a folder on a free port. */
export async function serveFolder(
  cwd: string,
  ...words: readonly string[]
): Promise<{ readonly program: Program; readonly url: string }> {
  const program = startProgram(['serve', ...words, '--port', '0'], cwd)
  await program.until(() => program.out().includes('# troupe serves'))
  const [, url = ''] = /^# troupe serves .* at (\S+)$/mu.exec(program.out()) ?? []
  return { program, url }
}
