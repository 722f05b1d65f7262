import {
  autocompletion,
  closeBrackets,
  completionKeymap,
  type Completion,
  type CompletionResult,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { yamlFrontmatter } from '@codemirror/lang-yaml'
import { HighlightStyle, indentUnit, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import type { AgentProblem } from '@troupe/client'
import type { CardOption } from './card-completion.ts'
import { problemRange } from './problem-range.ts'

/** An editor of a card. */
export interface CodeView {
  /** Replaces the text, as one step of the undo history. */
  setText(text: string): void
  /** Underlines problems. Their positions follow later edits. */
  showProblems(problems: readonly AgentProblem[]): void
  /** Puts the cursor to a line and column, both from 1. */
  goTo(line: number, column: number): void
  destroy(): void
}

/** Options of an editor. */
export interface CodeViewOptions {
  readonly text: string
  /** True if the text can only be read. */
  readonly isReadOnly: boolean
  onChange(text: string): void
  onSave(): void
  /** Returns what can be inserted at an offset, and where the word at the offset begins. */
  complete(
    text: string,
    offset: number,
  ): { readonly from: number; readonly options: readonly CardOption[] } | undefined
}

/**
 * Creates an editor in a shadow root below `host`. The style elements of CodeMirror are not allowed by the policy of
 * the page, but in a shadow root it uses constructed style sheets.
 */
export function createCodeView(host: HTMLElement, options: CodeViewOptions): CodeView {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const view = new EditorView({ parent: root, root, state: stateOf(options) })
  return {
    setText: (insert) =>
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert }, selection: { anchor: 0 } }),
    showProblems: (problems) =>
      view.dispatch(
        setDiagnostics(
          view.state,
          problems.map((problem) => toDiagnostic(problem, view.state)),
        ),
      ),
    goTo(line, column) {
      const { from } = problemRange(view.state.doc.toString(), { line, column })
      view.dispatch({
        selection: { anchor: from },
        effects: EditorView.scrollIntoView(from, { y: 'center' }),
      })
      view.focus()
    },
    destroy: () => view.destroy(),
  }
}

function stateOf({ text, isReadOnly, onChange, onSave, complete }: CodeViewOptions): EditorState {
  const save = { key: 'Mod-s', preventDefault: true, run: () => (onSave(), true) }
  return EditorState.create({
    doc: text,
    extensions: [
      lineNumbers(),
      highlightSpecialChars(),
      highlightActiveLine(),
      history(),
      drawSelection(),
      closeBrackets(),
      indentUnit.of('  '),
      // Keeps the line feeds of the file: a card that has CRLF is saved with CRLF.
      EditorState.lineSeparator.of(/^(?:[^\r\n]*\r\n)+[^\r\n]*$/u.test(text) ? '\r\n' : '\n'),
      EditorState.readOnly.of(isReadOnly),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({
        'aria-label': 'Card',
        // Chromium focuses the text anyway; tools that check the page do not know that.
        tabindex: '0',
        spellcheck: 'false',
        autocorrect: 'off',
        autocapitalize: 'off',
      }),
      yamlFrontmatter({ content: PROMPT }),
      syntaxHighlighting(COLOURS),
      lintGutter(),
      autocompletion({
        override: [
          (context) => toCompletions(complete(context.state.doc.toString(), context.pos), context.explicit),
        ],
        icons: false,
      }),
      keymap.of([save, ...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (docChanged) onChange(state.sliceDoc())
      }),
      THEME,
    ],
  })
}

function toCompletions(
  found: ReturnType<CodeViewOptions['complete']>,
  isExplicit: boolean,
): CompletionResult | null {
  if (found === undefined || found.options.length === 0) return null
  const options = found.options.map(({ label, kind, insert, note }): Completion => ({
    label,
    type: kind,
    ...(insert === undefined ? {} : { apply: insert }),
    ...(note === undefined ? {} : { detail: note }),
  }))
  return { from: found.from, options, validFor: isExplicit ? /^[\w$./:-]*$/u : /^[\w$./:-]+$/u }
}

function toDiagnostic(
  { severity, message, fix, line, column }: AgentProblem,
  state: EditorState,
): Diagnostic {
  const range = problemRange(state.doc.toString(), { line, column })
  return { ...range, severity, message: fix === undefined ? message : `${message}\n${fix}` }
}

/** The state of {@link PROMPT}. */
interface PromptState {
  isCode: boolean
}

/** Highlights the headings, code and lists of a prompt. The Markdown mode of CodeMirror needs three more languages. */
const PROMPT = StreamLanguage.define<PromptState>({
  name: 'prompt',
  startState: () => ({ isCode: false }),
  token(stream, state) {
    if (stream.sol()) {
      if (stream.match(/^\s*(?:```|~~~).*$/u)) {
        state.isCode = !state.isCode
        return 'monospace'
      }
      if (state.isCode) {
        stream.skipToEnd()
        return 'monospace'
      }
      if (stream.match(/^#{1,6}\s.*$/u)) return 'heading'
      if (stream.match(/^\s*(?:[*+-]|\d{1,9}[.)])\s/u)) return 'list'
    }
    if (stream.match(/^`[^`]*`/u)) return 'monospace'
    if (stream.match(/^\*\*[^*]+\*\*/u)) return 'strong'
    stream.next()
    stream.eatWhile(/[^`*]/u)
    return null
  },
})

const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: [tags.string, tags.content], color: 'var(--ink)' },
  { tag: [tags.bool, tags.number, tags.null, tags.keyword], color: 'var(--warn)' },
  { tag: [tags.comment, tags.lineComment, tags.meta], color: 'var(--muted)' },
  { tag: [tags.separator, tags.punctuation], color: 'var(--muted)' },
  { tag: tags.heading, fontWeight: '600' },
  { tag: tags.strong, fontWeight: '600' },
  { tag: tags.list, color: 'var(--muted)' },
  { tag: tags.monospace, color: 'var(--good)' },
])

// The custom properties of the page apply in the shadow root, so the theme follows that of the page.
const THEME = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--panel)', fontSize: '0.8125rem', height: '100%' },
  // The element around the editor shows the focus.
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: "'Geist Mono', ui-monospace, monospace", lineHeight: '1.6' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '0.5rem 0' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--muted)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in oklab, var(--raised) 60%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in oklab, var(--accent) 28%, transparent)',
  },
  '.cm-tooltip': {
    color: 'var(--ink)',
    backgroundColor: 'var(--panel)',
    border: '1px solid var(--strong-line)',
    borderRadius: '6px',
    overflow: 'hidden',
  },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'inherit', maxHeight: '16rem' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '0.2rem 0.6rem' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--accent-ink)',
    backgroundColor: 'var(--accent)',
  },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '0.8', marginLeft: '0.8rem' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600' },
  '.cm-diagnostic': { whiteSpace: 'pre-wrap', maxWidth: '32rem', padding: '0.3rem 0.6rem' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warn)' },
  // The marks and lines of CodeMirror are `data:` images, which the policy of the page blocks.
  '.cm-lint-marker': { content: 'normal', width: '0.55em', height: '0.55em', borderRadius: '50%' },
  '.cm-lint-marker-error': { content: 'normal', backgroundColor: 'var(--bad)' },
  '.cm-lint-marker-warning': { content: 'normal', backgroundColor: 'var(--warn)' },
  '.cm-lintRange-error, .cm-lintRange-warning': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad)',
    textUnderlineOffset: '3px',
  },
  '.cm-lintRange-warning': { textDecorationColor: 'var(--warn)' },
})
