import { Fragment, type ReactElement } from 'react'

/** Shows a message, with the text between backticks as code. */
export function TickedText({ text }: { readonly text: string }): ReactElement {
  const pieces = text.split('`')
  // An unpaired backtick is a plain character.
  if (pieces.length % 2 === 0) return <>{text}</>
  return (
    <>
      {pieces.map((piece, index) => (
        <Fragment key={index}>
          {index % 2 === 0 ? piece : <code className="font-mono text-[0.95em]">{piece}</code>}
        </Fragment>
      ))}
    </>
  )
}
