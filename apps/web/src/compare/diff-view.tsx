import { useEffect, useState, type ReactElement } from 'react'
import { classNames } from '../ui/class-names.ts'
import { diffTexts, MAX_DIFF_LENGTH, type DiffPiece, type TextDiff } from './diff-texts.ts'

/** Shows two texts side by side with their differences marked, on a narrow screen one below the other. */
export function DiffView({
  left,
  right,
  isCode = false,
}: {
  /** `undefined` if there is none. */
  readonly left: string | undefined
  readonly right: string | undefined
  readonly isCode?: boolean
}): ReactElement {
  const diff = useTextDiff(left, right)
  if (left === right && left !== undefined)
    return <SideText side="both" text={left} pieces={undefined} isCode={isCode} />
  return (
    <div className="grid gap-2 sm:grid-cols-2">
      <SideText side="left" text={left} pieces={diff?.left} isCode={isCode} />
      <SideText side="right" text={right} pieces={diff?.right} isCode={isCode} />
    </div>
  )
}

/** Returns the differences once they are known. */
function useTextDiff(left: string | undefined, right: string | undefined): TextDiff | undefined {
  const [known, setKnown] = useState<{ left?: string; right?: string; diff?: TextDiff | undefined }>({})
  useEffect(() => {
    if (left === undefined || right === undefined || left === right) return undefined
    let isCurrent = true
    void diffTexts(left, right).then((diff) => {
      if (isCurrent) setKnown({ left, right, diff })
    })
    return () => {
      isCurrent = false
    }
  }, [left, right])
  return known.left === left && known.right === right ? known.diff : undefined
}

const SIDE_NAMES = { left: 'Left', right: 'Right', both: 'Both' } as const

function SideText({
  side,
  text,
  pieces,
  isCode,
}: {
  readonly side: keyof typeof SIDE_NAMES
  readonly text: string | undefined
  readonly pieces: readonly DiffPiece[] | undefined
  readonly isCode: boolean
}): ReactElement {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <p className="text-tiny text-muted">{SIDE_NAMES[side]}</p>
      <div
        dir="auto"
        tabIndex={0}
        role="group"
        aria-label={SIDE_NAMES[side]}
        className={classNames(
          'max-h-96 grow overflow-auto rounded-md border border-line bg-panel px-2.5 py-2 text-small break-words whitespace-pre-wrap',
          isCode && 'font-mono',
        )}
      >
        {text === undefined ? <span className="text-muted">nothing</span> : null}
        {text === '' ? <span className="text-muted">empty</span> : null}
        {text === undefined || pieces !== undefined ? null : text.slice(0, MAX_DIFF_LENGTH)}
        {pieces?.map((piece, index) => (
          <Piece key={index} piece={piece} side={side} />
        ))}
      </div>
      {text !== undefined && text.length > MAX_DIFF_LENGTH ? (
        <p className="text-tiny text-muted">
          The first {MAX_DIFF_LENGTH.toLocaleString()} of {text.length.toLocaleString()} characters.
        </p>
      ) : null}
    </div>
  )
}

function Piece({
  piece: { text, isChanged },
  side,
}: {
  readonly piece: DiffPiece
  readonly side: keyof typeof SIDE_NAMES
}): ReactElement {
  if (!isChanged) return <>{text}</>
  return side === 'left' ? (
    <del className="rounded-sm bg-bad-wash text-bad">{text}</del>
  ) : (
    <ins className="rounded-sm bg-good-wash text-good">{text}</ins>
  )
}
