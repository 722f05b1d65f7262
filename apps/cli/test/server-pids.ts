import { readdir } from 'node:fs/promises'
import path from 'node:path'

/** The process ids that the servers of the team in this folder have written down. */
export async function serverPids(folder: string): Promise<readonly number[]> {
  const files = await readdir(path.join(folder, 'team'))
  return files.filter((file) => file.startsWith('pid-')).map((file) => Number(file.slice('pid-'.length)))
}
