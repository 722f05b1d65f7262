let page = 'Troupe'
let open = 0

/** Names the window after the page it shows. */
export function setPageTitle(title: string): void {
  page = `${title} – Troupe`
  show()
}

/** Puts the number of open approvals before the name of the window: it is seen while another window is in front. */
export function setOpenCount(count: number): void {
  open = count
  show()
}

function show(): void {
  document.title = open === 0 ? page : `(${open}) ${page}`
}
