/** Every limit of the interface. A KB is 1,024 bytes. */
export const limits = {
  /** API Gateway's maximum request, and Lambda's maximum event and response. */
  gatewayRequestBytes: 10 * 1024 * 1024,
  lambdaPayloadBytes: 6 * 1024 * 1024,
  bodyBytes: 1024 * 1024,
  /** Maximum size of a body that is read before the key of the request is known to be valid. */
  bodyBytesWithoutKey: 16 * 1024,
  /** Maximum number of `details` of an error. */
  errorDetails: 20,
  /** Maximum number of unknown fields that a response names, and of characters of each name. */
  ignoredFields: 10,
  ignoredFieldCharacters: 64,
  /** Maximum size of a request for invoices, which needs no key. */
  invoicesBodyBytes: 4 * 1024,
  chatBodyBytes: 256 * 1024,
  chatMessages: 50,
  chatParts: 200,
  /** Maximum size of one text of a conversation, in UTF-16 units. */
  chatTextUnits: 16_000,
  chatIdCharacters: 200,
  /** Maximum duration of a response, two seconds before the timeout of its function. */
  chatSeconds: 58,
  /** Maximum number of model calls per turn of a conversation. */
  chatSteps: 8,
  /** Maximum size and time of the document of an AI client, and how many an address may make the service fetch in a minute. */
  clientDocumentBytes: 5 * 1024,
  clientDocumentSeconds: 5,
  clientDocumentsPerMinute: 30,
  /** Maximum size of a request of OAuth, number of redirect URIs of a client, and their units together. */
  oauthBodyBytes: 32 * 1024,
  redirectUris: 5,
  redirectUriUnits: 2000,
  stateCharacters: 2000,
  /** Maximum number of refused keys of an address in a minute, and of grants of a key. */
  refusedKeysPerMinute: 10,
  grantsOfKey: 100,
  /** Maximum response size. Lambda's own limit is 6 MB. */
  answerBytes: 5 * 1024 * 1024,
  jsonDepth: 32,
  pageItems: 1000,
  /** Maximum length of a position in a list. It is a sort key of DynamoDB, which has at most 1,024 bytes. */
  cursorCharacters: 300,
  numbersPerRequest: 10_000,
  /** Maximum number of call starts in a preview, which reads up to six items for each number. */
  callStartsPerRequest: 1000,
  blockReasonCharacters: 256,
  consentsPerRequest: 1000,
  /** Maximum number of records of a person: all of them are in one item. */
  consentsOfPerson: 1000,
  consentMinutesAhead: 5,
  consentAgeDays: 3650,
  sellerCharacters: 128,
  disclosureCharacters: 500,
  disclosureLanguages: 20,
  proofTextCharacters: 2000,
  /** The rules of a block list: ranges, their digits, and the numbers that no range blocks. */
  blockedPrefixes: 50,
  prefixDigits: 14,
  allowedNumbers: 200,
  /** Maximum size of a file that is imported into a block list. */
  importBytes: 64 * 1024 * 1024,
  /** The number of days for which an import is kept, and a key that is over. */
  importDays: 30,
  endedKeyDays: 30,
  importLineBytes: 64 * 1024,
  /** The number of rows in which an import looks for the headings of its columns. */
  importHeadingLines: 50,
  importFailures: 1000,
  columnCharacters: 200,
  importFailureCharacters: 64,
  /** The first response to a request with an Idempotency-Key is kept for so long. */
  idempotencyKeyCharacters: 255,
  idempotencySeconds: 24 * 60 * 60,
  nameCharacters: 200,
  configurationBytes: 200 * 1024,
  noteCharacters: 256,
  /** The number of versions of an agent that are kept in addition to those that get traffic, and the maximum number of a version. */
  versions: 200,
  splitVersions: 5,
  versionNumber: 999_999_999,
  /** Maximum number of changed fields that a version names one by one, and their length in UTF-16 units: they fit into an event. */
  changedFields: 50,
  changedFieldUnits: 100,
  /** Maximum number of differences between two versions within one object or list, and the length of a path in UTF-16 units. */
  changesOfPart: 100,
  changePathUnits: 1000,
  languageCharacters: 35,
  timeZoneCharacters: 64,
  /** Maximum length of a phone number, with its separators. */
  phoneNumberCharacters: 256,
  blockOnOutcomes: 20,
  /** Maximum number of outcomes that an agent declares, and of words that it can require. */
  outcomes: 50,
  callerWords: 1000,
  /** What a tool returned is cut in a transcript. */
  toolTurnCharacters: 2000,
  transcriptTurns: 2000,
  /** More turns are refused. Those behind `transcriptTurns` are cut. */
  turnsPerRequest: 10_000,
  transcriptBytes: 400 * 1024,
  transcriptDays: 400,
  /** What a model reads of a transcript at once. */
  transcriptResultBytes: 20 * 1024,
  /** The history of a caller: calls with details, days, calls that are counted, and characters of a label or a summary. */
  historyCalls: 5,
  historyDays: 365,
  historyCounted: 50,
  historyCharacters: 500,
  callSeconds: 1_000_000_000,
  minCallSeconds: 0.000_001,
  /** Maximum length of a summary that a voice platform reports. */
  summaryCharacters: 10_000,
  outcomeCharacters: 256,
  outcomeFromCharacters: 256,
  metadataBytes: 50 * 1024,
  metadataDepth: 10,
  outcomesPerRequest: 1000,
  callsPerRequest: 1000,
  /** A page of a filtered list ends after so many calls, or seconds, and says how far it has searched. */
  callsExamined: 20_000,
  callSearchSeconds: 2,
  /** Maximum number of agents whose calls are listed together. */
  listedAgents: 200,
  outcomeHistory: 20,
  /** Limits of call figures: days and agents of a request, rows of its response, and bytes that are read for it. */
  figureDays: 400,
  figureAgents: 200,
  /** The number of agents above which at most so many days are counted. */
  agentsOfManyDays: 50,
  daysOfManyAgents: 92,
  userFigureDays: 92,
  /** Maximum number of clients in a response with their figures. It ends after so many agents, or seconds. */
  userFigures: 20,
  userFigureAgents: 400,
  userFigureSeconds: 2,
  /** The highest cost of a call, in any currency or in credits, that a platform reports and figures add up. */
  reportedCost: 10_000,
  reportedCredits: 10_000_000,
  /** Limits of an export of calls: days and agents of a request, calls and bytes of a file, and how long files are kept. */
  exportDays: 400,
  exportAgents: 1000,
  exportFileCalls: 500_000,
  exportFileBytes: 24 * 1024 * 1024,
  exportSeconds: 24 * 60 * 60,
  exportLinkSeconds: 60 * 60,
  figureRows: 25_000,
  figureBytes: 64 * 1024 * 1024,
  /** Maximum page size of a list of sources with their texts. */
  pageSourcesWithText: 100,
  /** Maximum size of a source's text in a list. The bytes are those of the response, so that one source always fits. */
  listedTextCharacters: 1_000_000,
  listedTextBytes: 2_400_000,
  /** Maximum length of a query, and maximum number of passages and sources, of a knowledge search. */
  defaultPassages: 5,
  /** The searches of knowledge that one event of a voice platform asks for. */
  searchesPerEvent: 5,
  queryCharacters: 1000,
  passages: 20,
  searchedSourceIds: 50,
  filesPerUpload: 10,
  /** Maximum size of the texts of all websites and documents of an agent. */
  knowledgeBytes: 200 * 1024 * 1024,
  fileBytes: 10_485_760,
  /** The elements of a file that are read, as steps of about ten microseconds: of any file, for each MB, and at most. */
  smallFileReadingSteps: 50_000,
  readingStepsPerMegabyte: 500_000,
  readingSteps: 1_200_000,
  /** Maximum size of a text that is added as a document: as JSON, it fits into a body. */
  documentTextBytes: 900 * 1024,
  /** Maximum size of an upload through API Gateway and Lambda: an event has at most 6 MB, and base64 adds a third. */
  uploadBodyBytes: 4_500_000,
  /** Maximum size of a tool's result for an AI client, in UTF-16 units. */
  toolResultBytes: 50 * 1024,
  /** Validity of a download link and of an upload form. */
  linkSeconds: 15 * 60,
  urlCharacters: 2048,
  minHookSecretCharacters: 8,
  hookSecretCharacters: 512,
  /** Own parameters of a user in the forms of a platform, and characters of a name of them. */
  hookParameters: 50,
  hookParameterCharacters: 64,
  platformKeyCharacters: 512,
  /** Maximum number of an agent's assistants at its voice platform, and length of their ids. */
  assistantIds: 20,
  assistantIdCharacters: 128,
  /** The time for which a replaced secret is accepted, too. */
  replacedSecretSeconds: 24 * 60 * 60,
  /** Maximum number of days that a reconciliation compares, and of differences that it names. */
  reconciliationDays: 31,
  reconciliationDifferences: 100,
  /** Maximum size of a form of a voice platform whose signature is checked field by field. */
  hookFormBytes: 64 * 1024,
  /** Maximum number of clients of a user, of keys of a user that are not over, and of guests of an agent. */
  clients: 10_000,
  keys: 100,
  /** Maximum number of keys of a user, those that are over included: the next one deletes the oldest of these. */
  listedKeys: 300,
  guests: 50,
  maxOverlapHours: 168,
  /** The highest budget of a client, in any currency or in credits. */
  budgetAmount: 1e12,
  /** The highest limit of a key. */
  requestsPerMinute: 100_000,
  /** Maximum number of deliveries that are read for one page of a filtered list. */
  deliveriesExamined: 2000,
  webhookEndpoints: 10,
  webhookAgents: 100,
  webhookDescriptionCharacters: 256,
  /** The minimum interval between tests of an endpoint. */
  webhookTestSeconds: 10,
  /** Timeout of a webhook receiver. */
  webhookSeconds: 15,
  /** Maximum number of bytes of its response that are read. */
  webhookResponseBytes: 1024,
  /** Maximum number of a block list's numbers, and maximum size of a call's metadata, in an event. */
  webhookNumbers: 100,
  webhookMetadataBytes: 10 * 1024,
  webhookDays: 30,
  crawlPages: 10,
  /** Maximum number of days until a website is crawled again. */
  refreshDays: 90,
  sourceWarnings: 10,
  crawlDepth: 10,
  pathPatterns: 50,
  pathPatternCharacters: 200,
  /** Limits of a page that is crawled. The bytes are counted after decompression. */
  pageBytes: 5 * 1024 * 1024,
  pageSeconds: 10,
  pageRedirects: 5,
  /** Maximum number of links of a page that are read. */
  pageLinks: 2000,
  pageTitleCharacters: 300,
  /** Maximum number of bytes of a robots.txt that are read. */
  robotsBytes: 500 * 1024,
  /** Maximum number of rules for our crawler; later ones are ignored. */
  robotsRules: 1000,
} as const;
