import { fileURLToPath } from 'node:url'

/** How the server of `tool-server.ts` is started. */
export function toolServerCommand(tools: number): { readonly command: string; readonly args: string[] } {
  const file = fileURLToPath(new URL('./tool-server.ts', import.meta.url))
  return { command: process.execPath, args: ['--conditions=@troupe/source', file, String(tools)] }
}
