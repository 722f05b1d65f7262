/** Copies a folder to another, which is emptied before. Both are relative to the working folder: `node copy-folder.ts from to`. */
import { cp, rm } from 'node:fs/promises'

const [from, to] = process.argv.slice(2)
if (from === undefined || to === undefined) throw new TypeError('copy-folder.ts takes two folders.')
await rm(to, { recursive: true, force: true })
await cp(from, to, { recursive: true })
