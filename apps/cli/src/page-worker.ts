await import('@troupe/runtime/page-worker')
