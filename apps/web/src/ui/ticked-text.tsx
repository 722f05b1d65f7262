import { Fragment, type ReactElement } from 'react'

/** A line of words in which what stands between backticks is code, as messages are written. */
export function TickedText({ text }: { readonly text: string }): ReactElement {
  const pieces = text.split('`')
  // an odd tick is a letter
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
