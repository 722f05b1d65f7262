import { matchChoice, type Asker } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import { askForm } from './ask-form.ts'
import type { PromptLine } from './prompt-line.ts'
import { showInvisible } from './show-invisible.ts'
import type { Style } from '../terminal/style.ts'

/**
 * Creates an asker for the terminal. With choices, accepts a number or the text of a choice and repeats the
 * question otherwise.
 */
export function createAsker(promptLine: PromptLine, style: Style): Asker {
  return async ({ instance, question, choices = [], form }, signal) => {
    if (form !== undefined) {
      const head = `${style.bold(plainText(instance))} asks: ${showInvisible(question)}\n`
      return askForm(form, { head, promptLine }, signal)
    }
    const list = choices.map((choice, index) => `  ${index + 1}) ${showInvisible(choice)}\n`).join('')
    const head = `${style.bold(plainText(instance))} asks: ${showInvisible(question)}\n${list}`
    for (let text = `${head}> `; ; text = `Please answer with 1 to ${choices.length}: `) {
      const answer = await promptLine(text, signal)
      if (answer === undefined) return { answered: false, reason: 'nobody answered' }
      const said = matchChoice({ question, choices }, answer)
      if (said !== undefined) return { answered: true, text: said }
    }
  }
}
