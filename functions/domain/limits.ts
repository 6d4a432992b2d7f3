/** Every bound of the interface, in one place. Bytes are bytes, KB are 1,024 of them. */
export const limits = {
  bodyBytes: 1024 * 1024,
  chatBodyBytes: 256 * 1024,
  chatMessages: 50,
  /** UTF-16 units of one text of a conversation. */
  chatTextUnits: 16_000,
  chatIdCharacters: 200,
  /** Model calls for one turn of a conversation. */
  chatSteps: 8,
  /** What one answer may weigh: Lambda itself ends at 6 MB. */
  answerBytes: 5 * 1024 * 1024,
  jsonDepth: 32,
  pageItems: 1000,
  numbersPerRequest: 10_000,
  blockReasonCharacters: 256,
  nameCharacters: 200,
  configurationBytes: 200 * 1024,
  outcomeCharacters: 256,
  metadataBytes: 50 * 1024,
  metadataDepth: 10,
  outcomesPerRequest: 1000,
  outcomeHistory: 20,
} as const;
