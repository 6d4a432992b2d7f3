/** Every bound of the interface, in one place. Bytes are bytes, KB are 1,024 of them. */
export const limits = {
  /** API Gateway's maximum request, and Lambda's maximum event and response. */
  gatewayRequestBytes: 10 * 1024 * 1024,
  lambdaPayloadBytes: 6 * 1024 * 1024,
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
  /** No position of a list is longer: a sort key of DynamoDB has at most 1,024 bytes. */
  cursorCharacters: 300,
  numbersPerRequest: 10_000,
  blockReasonCharacters: 256,
  /** Of a file that is imported into a block list. */
  importBytes: 64 * 1024 * 1024,
  importFailures: 1000,
  importFailureCharacters: 64,
  nameCharacters: 200,
  configurationBytes: 200 * 1024,
  blockOnOutcomes: 20,
  callSeconds: 1_000_000_000,
  outcomeCharacters: 256,
  metadataBytes: 50 * 1024,
  metadataDepth: 10,
  outcomesPerRequest: 1000,
  /** Calls that one page of a filtered list looks at. */
  callsExamined: 2000,
  outcomeHistory: 20,
  /** With their texts, sources come by at most a hundred. */
  pageSourcesWithText: 100,
  /** What a list shows of each text of a source; the bytes are those of the answer, so that one source always fits. */
  listedTextCharacters: 1_000_000,
  listedTextBytes: 2_400_000,
  /** Of a search of an agent's knowledge. */
  queryCharacters: 1000,
  passages: 20,
  searchedSourceIds: 50,
  filesPerUpload: 10,
  fileBytes: 10_485_760,
  /** What API Gateway and Lambda carry of an upload: an event ends at 6 MB, and base64 takes a third more than the bytes. */
  uploadBodyBytes: 4_500_000,
  /** How long a download link and an upload form are good. */
  linkSeconds: 15 * 60,
  urlCharacters: 2048,
  webhookEndpoints: 10,
  webhookAgents: 100,
  webhookDescriptionCharacters: 256,
  /** How long a receiver of webhooks has to respond. */
  webhookSeconds: 15,
  /** What is read of its response. */
  webhookResponseBytes: 1024,
  /** What an event carries of a block list's change, and of a call's metadata. */
  webhookNumbers: 100,
  webhookMetadataBytes: 10 * 1024,
  webhookDays: 30,
  crawlPages: 10,
  crawlDepth: 10,
  pathPatterns: 50,
  pathPatternCharacters: 200,
  /** Of a page that is crawled; the bytes are those it inflates to. */
  pageBytes: 5 * 1024 * 1024,
  pageSeconds: 10,
  pageRedirects: 5,
  /** Links of a page that are looked at. */
  pageLinks: 2000,
  pageTitleCharacters: 300,
  /** What is read of a robots.txt. */
  robotsBytes: 500 * 1024,
  /** Of the rules for our crawler; later ones are ignored. */
  robotsRules: 1000,
} as const;
