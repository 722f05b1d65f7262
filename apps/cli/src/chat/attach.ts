import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { plainText } from '@troupe/timeline'
import { readAttachments } from '../input/read-message.ts'
import type { CommandContext } from '../terminal/context.ts'
import type { ChatContext, SlashCommand } from './chat-context.ts'

/** `/attach`: sends a file with the next message. */
export const ATTACH: SlashCommand = {
  name: 'attach',
  group: 'Answers',
  argument: '<file>',
  description: 'send an image, PDF or text file with the next message',
  run: (argument, chat) => attachFiles(toPaths(argument), chat),
}

/** Attaches files to the next message and prints their names. */
export async function attachFiles(paths: readonly string[], chat: ChatContext): Promise<void> {
  const { teamChat, context, print } = chat
  teamChat.attach(await readAttachments({ file: paths }, context.cwd, '/attach'))
  const names = teamChat.attachments.map(({ filename = '' }) => plainText(filename)).join(', ')
  print([context.terminal.style.dim(`Sent with the next message: ${names}`)])
}

/** Returns the paths in a message that consists of images only, as a terminal pastes dropped files. */
export function imagePaths(message: string, { cwd }: Pick<CommandContext, 'cwd'>): readonly string[] {
  const paths = toPaths(message)
  const areImages = paths.every(
    (path) => /\.(?:png|jpe?g|gif|webp)$/iu.test(path) && isFile(resolve(cwd, path)),
  )
  return areImages ? paths : []
}

/** Splits a text at spaces, except quoted and escaped ones. */
function toPaths(text: string): readonly string[] {
  const words = text.match(/'[^']*'|"[^"]*"|(?:\\.|\S)+/gu) ?? []
  return words.map((word) =>
    /^['"]/u.test(word) ? word.slice(1, -1) : word.replaceAll(/\\(?<character>.)/gu, '$<character>'),
  )
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}
