export type CallColumn = {
  heading: string;
  /** The heading in files, where it is not the name of the field. */
  nameInFiles?: string;
  /** Lists have it, too. Files and the panel of a call have every column. */
  isInLists?: true;
};

/** The columns of calls. A new one follows the others, because files are also read by position. The console misses none. */
export const callColumns = {
  startedAt: { heading: 'Started', nameInFiles: 'started', isInLists: true },
  agentId: { heading: 'Agent', isInLists: true },
  callId: { heading: 'Call ID' },
  phone: { heading: 'Phone number', isInLists: true },
  direction: { heading: 'Direction', isInLists: true },
  status: { heading: 'Status', isInLists: true },
  durationSeconds: { heading: 'Duration', isInLists: true },
  custom_call_outcome: { heading: 'Outcome', nameInFiles: 'outcome', isInLists: true },
  custom_call_outcome_value: { heading: 'Value', nameInFiles: 'value', isInLists: true },
  endedAt: { heading: 'Ended' },
  agentPhone: { heading: 'Number of the agent' },
  agentVersion: { heading: 'Version of the agent' },
  disclosed: { heading: 'Disclosed' },
} satisfies Record<string, CallColumn>;
