import { styleText } from 'node:util'

/** Text decorations for the terminal. Without colours they return the text unchanged. */
export interface Style {
  bold(text: string): string
  dim(text: string): string
  italic(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
  cyan(text: string): string
}

export function createStyle(colors: boolean): Style {
  const decorate = (format: keyof Style) => (text: string) =>
    colors ? styleText(format, text, { validateStream: false }) : text
  return {
    bold: decorate('bold'),
    dim: decorate('dim'),
    italic: decorate('italic'),
    red: decorate('red'),
    green: decorate('green'),
    yellow: decorate('yellow'),
    cyan: decorate('cyan'),
  }
}
