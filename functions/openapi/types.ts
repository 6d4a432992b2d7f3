/** Made of document.json by `npm run openapi`: change the endpoints and run it again. */

export interface paths {
    "/agent-block-list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List an agent’s block list
         * @description The numbers that are blocked now, sorted as text. Entries whose `expiresAt` has passed are left out.
         *
         *     Scope of the key: `block-list`.
         */
        get: operations["listBlockedNumbers"];
        put?: never;
        /**
         * Add numbers to an agent’s block list
         * @description Each number is answered for by itself: it is in `added`, or in `failed` with the reason. All of them failing is still 200. Both lists keep the order sent. A number whose `expiresAt` has passed is not blocked any more, and can be added again.
         *
         *     Scope of the key: `block-list`.
         */
        post: operations["addBlockedNumbers"];
        /**
         * Remove numbers from an agent’s block list
         * @description Each number is answered for by itself: it is in `removed`, or in `failed` with the reason. All of them failing is still 200. Both lists keep the order sent.
         *
         *     Scope of the key: `block-list`.
         */
        delete: operations["removeBlockedNumbers"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent-block-list/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ask whether a number is blocked for an agent
         * @description For a telephony hook that decides whether to take a call: one fast, strongly consistent read. A `+` that arrives as a space counts as a `+`.
         *
         *     Scope of the key: `block-list`.
         */
        get: operations["checkBlockedNumber"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/duplicate-agent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Copy an agent
         * @description Copies an agent’s configuration, knowledge and block list into a new agent that belongs to the user of the key. Its phone number, its calls and other people’s access to it stay behind. A copy is whole or not there at all: one too large to be made within an answer is finished in the background (`copied.status` is `pending`), and until then the new agent is nowhere to be seen.
         *
         *     Scope of the key: `agents`.
         */
        post: operations["duplicateAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a user’s agents
         * @description The agents the user owns, and those they were given access to.
         *
         *     Scope of the key: `agents`.
         */
        get: operations["listAgents"];
        put?: never;
        /**
         * Create an agent
         * @description The new agent belongs to the user of the key. Its identifier is made by the service.
         *
         *     Scope of the key: `agents`.
         */
        post: operations["createAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an agent
         * @description The whole record of one agent that the user of the key may use.
         *
         *     Scope of the key: `agents`.
         */
        get: operations["getAgent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change an agent
         * @description Fields that are not sent stay as they are. `configuration` is merged by top-level field, and `null` clears a field. `agentId` and `uid` never change.
         *
         *     Scope of the key: `agents`.
         */
        patch: operations["updateAgent"];
        trace?: never;
    };
    "/agent-documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List an agent’s documents
         * @description By the time they were added. Of each text at most 1,000,000 characters are listed (`truncated` says so), and with the texts at most 100 documents a page; `content=false` makes a short list of them all.
         *
         *     Scope of the key: `knowledge`.
         */
        get: operations["listDocuments"];
        put?: never;
        /**
         * Upload documents
         * @description Takes up to 10 files: PDF, Word (.docx), text or Markdown, told by their content, of at most 10 MB each. All of them together weigh at most 4,500,000 bytes; larger ones are sent by upload forms. A bad file fails alone. The texts are extracted in the background: each document’s `status` tells how far that has come.
         *
         *     Scope of the key: `knowledge`.
         */
        post: operations["uploadDocuments"];
        /**
         * Delete a document
         * @description In any state. Its file and its text are gone before the answer, and an extraction under way stores nothing.
         *
         *     Scope of the key: `knowledge`.
         */
        delete: operations["deleteDocument"];
        options?: never;
        head?: never;
        /**
         * Switch or rename a document
         * @description Changes what is given, and leaves the rest. An agent does not answer from a document that is switched off.
         *
         *     Scope of the key: `knowledge`.
         */
        patch: operations["updateDocument"];
        trace?: never;
    };
    "/agent-documents/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the whole text of a document
         * @description The text, and the same as Markdown. What one answer cannot carry comes in pieces, to be joined in their order: the text first, the Markdown after it. A document without a text has empty ones.
         *
         *     Scope of the key: `knowledge`.
         */
        get: operations["getDocumentContent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent-documents/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get forms to upload larger documents
         * @description For each of up to 10 files, a form that stores this one file of at most 10 MB. POST it as `multipart/form-data` to `url` within 15 minutes: all of `fields`, and then the field `file`. The upload itself starts the extraction of the text. A form that is never used leaves nothing: its document is gone after an hour.
         *
         *     Scope of the key: `knowledge`.
         */
        post: operations["createDocumentUploads"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent-documents/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a failed document again
         * @description For a document whose `status` is `failed`: its text is extracted once more from the same file, in the background.
         *
         *     Scope of the key: `knowledge`.
         */
        post: operations["retryDocument"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent-websites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List an agent’s websites
         * @description By the time they were added, with what became of each. Of each text at most 1,000,000 characters are listed (`truncated` says so), and with the texts at most 100 websites a page; `content=false` makes a short list of them all.
         *
         *     Scope of the key: `knowledge`.
         */
        get: operations["listWebsites"];
        put?: never;
        /**
         * Add a website
         * @description It is crawled in the background, from the page given on and nearest pages first; its status in the list tells when it is ready, and `failedPages` which pages were not read. The crawler obeys robots.txt under the name VoiceAgentPlatformBot, reads HTML and plain text, stays on the site, and connects to public addresses alone.
         *
         *     Scope of the key: `knowledge`.
         */
        post: operations["addWebsite"];
        /**
         * Delete a website
         * @description In any state. Its text is gone before the answer, and a crawl under way stores nothing.
         *
         *     Scope of the key: `knowledge`.
         */
        delete: operations["deleteWebsite"];
        options?: never;
        head?: never;
        /**
         * Switch or rename a website
         * @description Changes what is given, and leaves the rest. An agent does not answer from a website that is switched off.
         *
         *     Scope of the key: `knowledge`.
         */
        patch: operations["updateWebsite"];
        trace?: never;
    };
    "/agent-websites/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the whole text of a website
         * @description The text, and the same as Markdown. What one answer cannot carry comes in pieces, to be joined in their order: the text first, the Markdown after it. A cursor holds for one text: once that was replaced it is refused, and reading begins again.
         *
         *     Scope of the key: `knowledge`.
         */
        get: operations["getWebsiteContent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent-websites/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Crawl a website anew
         * @description In the background, as when it was added. The former text stays until the new one is whole, and for good when the site can no longer be read.
         *
         *     Scope of the key: `knowledge`.
         */
        post: operations["refreshWebsite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/calls/{agentId}/{callIdOrPhone}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a call
         * @description The call is named by its id, or by a phone number: then it is the first or the last call with that number, as `preference` says.
         *
         *     Scope of the key: `calls`.
         */
        get: operations["getCall"];
        /**
         * Record a call
         * @description How calls come in: the telephony records a call when it begins or ends, and corrects it by recording it again. The outcome fields are never touched, and the same request again changes nothing.
         *
         *     Scope of the key: `calls`.
         */
        put: operations["recordCall"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Set a call’s outcome
         * @description A partial update: any combination of the three fields, even none. `null` clears a field. The call is named by its id, or by a phone number: then it is the first or the last call with that number, as `preference` says. To set many outcomes, use `POST /call-outcomes`.
         *
         *     Scope of the key: `calls`.
         */
        patch: operations["updateCallOutcome"];
        trace?: never;
    };
    "/calls/{agentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List an agent’s calls
         * @description Newest first. With `phone`, only the calls with that number.
         *
         *     Scope of the key: `calls`.
         */
        get: operations["listCalls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/call-outcomes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set the outcomes of many calls
         * @description For batch jobs: up to 1,000 changes in one request, of any agents the user of the key may use. Each item is answered for by itself; a bad one fails alone. Several items may name the same call: they are carried out in the order sent. `npm run outcomes` sends files of any size this way.
         *
         *     Scope of the key: `calls`.
         */
        post: operations["updateCallOutcomes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/get-invoices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a customer’s invoices
         * @description For the platform’s own web application alone: the `Origin` header must be the configured application origin. The invoices are Stripe’s own objects, newest first, up to 100 at once.
         */
        post: operations["getInvoices"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/chat/build": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Talk with the build assistant
         * @description Streams the answer to a conversation, in the UI message stream of the AI SDK: its `useChat` is a client of this as it is, with `lastAssistantMessageIsCompleteWithApprovalResponses` to send approvals. The whole conversation is sent each turn, in at most 256 KB; what the assistant’s tools said in it must come back as it was.
         *
         *     Without a key the assistant searches the documentation, drafts agents and checks numbers. With one (`X-Authorization`) it also looks at what the key’s user has, within the key’s scopes, and changes it when the user approves.
         */
        post: operations["buildChat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get this description
         * @description The OpenAPI 3.1 document of the whole interface, to make a client of or to try the operations with.
         */
        get: operations["getOpenapiDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A voice agent. */
        Agent: {
            /**
             * @description The user who owns the agent.
             * @example demo-user
             */
            uid: string;
            /**
             * @description The agent.
             * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
             */
            agentId: string;
            /**
             * @description The agent’s name.
             * @example Front desk
             */
            name: string;
            configuration: components["schemas"]["AgentConfiguration"];
            /**
             * @description The number the agent answers.
             * @example +14155550123
             */
            phoneNumber?: string;
            /**
             * Format: date-time
             * @description When the agent was made.
             * @example 2026-03-01T10:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             * @example 2026-03-01T10:00:00.000Z
             */
            updatedAt: string;
            /**
             * @description The agent this one is a copy of.
             * @example agent_01KA8QF0X2V5TJ9W3N6YBD4C7E
             */
            sourceAgentId?: string;
        };
        /** @description How an agent speaks and behaves. Other fields are kept as they are. At most 200 KB of JSON. */
        AgentConfiguration: {
            /**
             * @description What the agent says first.
             * @example Hello, how can I help you?
             */
            greeting?: string;
            /**
             * @description How the agent is to behave.
             * @example Answer briefly. Offer an appointment to everybody who asks for one.
             */
            instructions?: string;
            /**
             * @description The voice it speaks with.
             * @example warm
             */
            voice?: string;
            /**
             * @description Its language, as a BCP 47 tag.
             * @example en-US
             */
            language?: string;
            /**
             * @description The language model it uses.
             * @example default
             */
            model?: string;
            /**
             * @description Its time zone, by its IANA name.
             * @example Europe/Berlin
             */
            timeZone?: string;
            /**
             * @description The number calls are handed to.
             * @example +14155550199
             */
            transferTo?: string;
            /**
             * @description Values its instructions may name.
             * @example {
             *       "company": "Example Dental",
             *       "openingHour": 9
             *     }
             */
            variables?: {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        /** @description A change of a configuration: a field given replaces the former one, `null` clears it, the others stay. */
        AgentConfigurationChange: {
            /**
             * @description What the agent says first.
             * @example Hello, how can I help you?
             */
            greeting?: string | null;
            /**
             * @description How the agent is to behave.
             * @example Answer briefly. Offer an appointment to everybody who asks for one.
             */
            instructions?: string | null;
            /**
             * @description The voice it speaks with.
             * @example warm
             */
            voice?: string | null;
            /**
             * @description Its language, as a BCP 47 tag.
             * @example en-US
             */
            language?: string | null;
            /**
             * @description The language model it uses.
             * @example default
             */
            model?: string | null;
            /**
             * @description Its time zone, by its IANA name.
             * @example Europe/Berlin
             */
            timeZone?: string | null;
            /**
             * @description The number calls are handed to.
             * @example +14155550199
             */
            transferTo?: string | null;
            /**
             * @description Values its instructions may name.
             * @example {
             *       "company": "Example Dental",
             *       "openingHour": 9
             *     }
             */
            variables?: {
                [key: string]: unknown;
            } | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A number that was not added or removed, and why. */
        BlockListFailure: {
            /**
             * @description The number, exactly as it was sent.
             * @example 12345
             */
            number: string;
            /**
             * @description Why, in words.
             * @example Invalid phone number format
             * @enum {string}
             */
            reason: "Invalid phone number format" | "Number already in block list" | "Number not found in block list" | "Temporarily unavailable";
            /**
             * @description Why, as a code to switch on.
             * @example invalid_format
             * @enum {string}
             */
            code: "invalid_format" | "already_blocked" | "not_found" | "temporarily_unavailable";
        };
        /** @description A number that is blocked. */
        BlockedNumber: {
            /**
             * @description The number, in E.164 format.
             * @example +14155550100
             */
            number: string;
            /**
             * @description Why it was blocked, when a reason was given.
             * @example Spam
             */
            reason?: string;
            /**
             * Format: date-time
             * @description When it was blocked.
             * @example 2026-03-01T10:00:00.000Z
             */
            blockedAt: string;
            /**
             * Format: date-time
             * @description When it is unblocked by itself; absent when never.
             * @example 2099-01-31T12:00:00.000Z
             */
            expiresAt?: string;
        };
        /** @description A call of an agent, with its outcome. */
        Call: {
            /**
             * @description The call.
             * @example demo-call-2
             */
            callId: string;
            /**
             * @description The agent.
             * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
             */
            agentId: string;
            /**
             * @description The other party’s number, in E.164 format.
             * @example +14155550100
             */
            phone: string;
            /**
             * @description Who called: the other party (`inbound`) or the agent (`outbound`).
             * @example inbound
             * @enum {string}
             */
            direction: "inbound" | "outbound";
            /**
             * Format: date-time
             * @description When the call began.
             * @example 2026-03-01T10:00:00.000Z
             */
            startedAt: string;
            /**
             * Format: date-time
             * @description When it ended.
             * @example 2026-03-01T10:03:32.000Z
             */
            endedAt?: string;
            /**
             * @description How long it lasted, in seconds.
             * @example 212
             */
            durationSeconds?: number;
            /**
             * @description How it ended, in the telephony’s own word.
             * @example completed
             */
            status?: string;
            /**
             * @description The outcome’s label.
             * @example appointment_booked
             */
            custom_call_outcome?: string;
            /**
             * @description The monetary value tied to the outcome.
             * @example 149.5
             */
            custom_call_outcome_value?: number;
            /**
             * @description Free-form metadata: an object of at most 50 KB of JSON and 10 levels. It comes back exactly as sent.
             * @example {
             *       "campaign": "spring",
             *       "agentScore": 4.5
             *     }
             */
            custom_call_metadata?: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description When the outcome was last changed.
             * @example 2026-03-02T08:15:00.000Z
             */
            outcomeUpdatedAt?: string;
            /**
             * @description The last 20 changes of the outcome, oldest first.
             * @example [
             *       {
             *         "at": "2026-03-02T08:15:00.000Z",
             *         "keyId": "key_01KB3M5T3Q8RXN2M6J4HB7C0DF",
             *         "fields": [
             *           "custom_call_outcome",
             *           "custom_call_outcome_value"
             *         ]
             *       }
             *     ]
             */
            outcomeHistory?: {
                /**
                 * Format: date-time
                 * @description When the outcome was changed.
                 * @example 2026-03-02T08:15:00.000Z
                 */
                at: string;
                /**
                 * @description The API key it was changed with.
                 * @example key_01KB3M5T3Q8RXN2M6J4HB7C0DF
                 */
                keyId: string;
                /**
                 * @description The outcome fields that were set or cleared, in this order.
                 * @example [
                 *       "custom_call_outcome",
                 *       "custom_call_outcome_value"
                 *     ]
                 */
                fields: ("custom_call_outcome" | "custom_call_outcome_value" | "custom_call_metadata")[];
            }[];
        };
        /** @description A change of outcome fields: a field given replaces the former one, `null` clears it, the others stay. */
        CallOutcomeChange: {
            /**
             * @description The outcome’s label.
             * @example appointment_booked
             */
            custom_call_outcome?: string | null;
            /**
             * @description The monetary value tied to the outcome.
             * @example 149.5
             */
            custom_call_outcome_value?: number | null;
            /**
             * @description Free-form metadata: an object of at most 50 KB of JSON and 10 levels. It comes back exactly as sent.
             * @example {
             *       "campaign": "spring",
             *       "agentScore": 4.5
             *     }
             */
            custom_call_metadata?: {
                [key: string]: unknown;
            } | null;
        };
        /** @description A change of one call’s outcome. */
        CallOutcomeItem: {
            /**
             * @description The outcome’s label.
             * @example appointment_booked
             */
            custom_call_outcome?: string | null;
            /**
             * @description The monetary value tied to the outcome.
             * @example 149.5
             */
            custom_call_outcome_value?: number | null;
            /**
             * @description Free-form metadata: an object of at most 50 KB of JSON and 10 levels. It comes back exactly as sent.
             * @example {
             *       "campaign": "spring",
             *       "agentScore": 4.5
             *     }
             */
            custom_call_metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description The agent whose call it is.
             * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
             */
            agentId: string;
            /**
             * @description The call’s id, or a phone number in E.164 format, whose `+` may stand as it is.
             * @example +14155550100
             */
            callIdOrPhone: string;
            /**
             * @description Which call of a phone number is meant: the earliest (`first`) or the most recent (`last`). Of no effect with a call id.
             * @default last
             * @example last
             * @enum {string}
             */
            preference?: "first" | "last";
            /**
             * @description Whether `custom_call_metadata` replaces what was there, or is merged into it by top-level key.
             * @default replace
             * @example replace
             * @enum {string}
             */
            metadataMode?: "replace" | "merge";
        };
        /** @description A document of a knowledge base. Its text is there once it was extracted. */
        Document: {
            /**
             * @description The document.
             * @example doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0
             */
            id: string;
            /**
             * @description The agent.
             * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
             */
            agentId: string;
            /**
             * @description Its name; at first that of its file, as it was sent.
             * @example Price list.pdf
             */
            name: string;
            /**
             * @description Whether the agent answers from it.
             * @example true
             */
            active: boolean;
            /**
             * @description The user who changed it last.
             * @example demo-user
             */
            lastUpdatedBy: string;
            /**
             * Format: date-time
             * @description When it was changed last, by whomever: by the service too, when its text was extracted.
             * @example 2026-03-01T10:00:00.000Z
             */
            lastUpdatedAt: string;
            /**
             * @description A link to download the file, good for 15 minutes. Absent until the file is there.
             * @example https://files.example.com/documents/agent_01KB3M5T3Q8RXN2M6J4HB7C0DE.doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0?X-Amz-Expires=900
             */
            fileUrl?: string;
            /**
             * @description How far the extraction of its text has come.
             * @example ready
             * @enum {string}
             */
            status: "pending" | "processing" | "ready" | "failed";
            /**
             * @description Why it failed, in a sentence.
             * @example The document is protected with a password.
             */
            error?: string;
            /**
             * @description The file’s bytes; of one not there yet, as announced.
             * @example 48213
             */
            size: number;
            /**
             * @description What the file is, told by its content. Absent until it is there.
             * @example pdf
             * @enum {string}
             */
            type?: "pdf" | "docx" | "txt" | "md";
            /**
             * @description Its text.
             * @example Opening hours
             *
             *     We are open from nine to five.
             */
            content?: string;
            /**
             * @description The same as Markdown.
             * @example # Opening hours
             *
             *     We are open from nine to five.
             */
            contentMD?: string;
            /**
             * @description There is more text than a list shows: get the whole of it by itself.
             * @example true
             * @constant
             */
            truncated?: true;
        };
        /** @description A document of a knowledge base, without its text. */
        DocumentSummary: {
            /**
             * @description The document.
             * @example doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0
             */
            id: string;
            /**
             * @description The agent.
             * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
             */
            agentId: string;
            /**
             * @description Its name; at first that of its file, as it was sent.
             * @example Price list.pdf
             */
            name: string;
            /**
             * @description Whether the agent answers from it.
             * @example true
             */
            active: boolean;
            /**
             * @description The user who changed it last.
             * @example demo-user
             */
            lastUpdatedBy: string;
            /**
             * Format: date-time
             * @description When it was changed last, by whomever: by the service too, when its text was extracted.
             * @example 2026-03-01T10:00:00.000Z
             */
            lastUpdatedAt: string;
            /**
             * @description A link to download the file, good for 15 minutes. Absent until the file is there.
             * @example https://files.example.com/documents/agent_01KB3M5T3Q8RXN2M6J4HB7C0DE.doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0?X-Amz-Expires=900
             */
            fileUrl?: string;
            /**
             * @description How far the extraction of its text has come.
             * @example ready
             * @enum {string}
             */
            status: "pending" | "processing" | "ready" | "failed";
            /**
             * @description Why it failed, in a sentence.
             * @example The document is protected with a password.
             */
            error?: string;
            /**
             * @description The file’s bytes; of one not there yet, as announced.
             * @example 48213
             */
            size: number;
            /**
             * @description What the file is, told by its content. Absent until it is there.
             * @example pdf
             * @enum {string}
             */
            type?: "pdf" | "docx" | "txt" | "md";
        };
        /** @description A refusal. What API Gateway refuses before the service is reached carries a `message` alone. */
        Error: {
            /**
             * @description Why, as a code to switch on: one of a closed list.
             * @example invalid_request
             * @enum {string}
             */
            error?: "invalid_request" | "too_many_numbers" | "too_many_files" | "file_too_large" | "unsupported_file_type" | "empty_file" | "customer_id_required" | "missing_api_key" | "invalid_api_key" | "insufficient_permissions" | "unauthorized_origin" | "call_not_found" | "website_not_found" | "document_not_found" | "invoices_not_found" | "not_found" | "idempotency_conflict" | "idempotency_in_progress" | "crawl_in_progress" | "not_failed" | "payload_too_large" | "rate_limited" | "chat_budget_exhausted" | "internal_error" | "chat_failed";
            /**
             * @description Why, in a sentence for a person.
             * @example numbers: must have at least 1 number
             */
            message: string;
            /** @description Each bad field of a request that was refused with 400. */
            details?: {
                /**
                 * @description Where in the request it is: `numbers.3`; empty for the whole.
                 * @example numbers
                 */
                path: string;
                /**
                 * @description What is wrong with it.
                 * @example must have at least 1 number
                 */
                message: string;
            }[];
        };
        /** @description An item that was not carried out, and why. */
        FailedOutcome: {
            /**
             * @description The item’s place in the request, counted from 0.
             * @example 0
             */
            index: number;
            /**
             * @description Why, as one of the error codes.
             * @example call_not_found
             */
            error: string;
            /**
             * @description Why, in words.
             * @example This agent has no such call.
             */
            message: string;
        };
        /** @description A page that was not read, and why. */
        FailedPage: {
            /**
             * @description The page’s address.
             * @example https://www.example.com/broken
             */
            url: string;
            /**
             * @description Why, in a sentence.
             * @example The page answered with status 404.
             */
            reason: string;
        };
        /** @description An invoice, with every field that the payment provider sends. */
        Invoice: {
            /**
             * @description The invoice.
             * @example in_bc83b719a3f5c1f9b5f45788
             */
            id: string;
            /**
             * @description What this is.
             * @example invoice
             * @constant
             */
            object: "invoice";
            /**
             * @description What is to be paid. In the smallest unit of the currency.
             * @example 4900
             */
            amount_due?: number | null;
            /**
             * @description What was paid. In the smallest unit of the currency.
             * @example 4900
             */
            amount_paid?: number | null;
            /**
             * @description What is still to be paid. In the smallest unit of the currency.
             * @example 0
             */
            amount_remaining?: number | null;
            /**
             * @description The currency, as three letters.
             * @example usd
             */
            currency?: string | null;
            /**
             * @description Whose invoice it is.
             * @example cus_LocalSeveral
             */
            customer?: string | null;
            /**
             * @description When it was made. In Unix seconds.
             * @example 1772323200
             */
            date?: number | null;
            /**
             * @description When it is due, if it is. In Unix seconds.
             * @example null
             */
            due_date?: number | null;
            /**
             * @description Whether it is paid.
             * @example true
             */
            paid?: boolean;
            /**
             * @description One of draft, open, paid, uncollectible and void.
             * @example paid
             */
            status?: string | null;
            /**
             * @description What it amounts to. In the smallest unit of the currency.
             * @example 4900
             */
            total?: number | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A page of invoices, newest first. */
        InvoiceList: {
            /**
             * @description What this is.
             * @example list
             * @constant
             */
            object: "list";
            /** @description The invoices. */
            data: components["schemas"]["Invoice"][];
            /**
             * @description Whether there are more after these.
             * @example false
             */
            has_more: boolean;
            /**
             * @description Where the payment provider lists them.
             * @example /v1/invoices
             */
            url: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A file that was not taken, and why. */
        RefusedFile: {
            /**
             * @description The file’s name, as it was sent.
             * @example setup.exe
             */
            name: string;
            /**
             * @description Why, as a code to switch on.
             * @example unsupported_file_type
             * @enum {string}
             */
            code: "file_too_large" | "empty_file" | "unsupported_file_type" | "invalid_request" | "internal_error";
            /**
             * @description Why, in a sentence.
             * @example The file is no PDF, Word document (.docx) or text.
             */
            reason: string;
        };
        /** @description An item whose call was changed. */
        UpdatedOutcome: {
            /**
             * @description The item’s place in the request, counted from 0.
             * @example 0
             */
            index: number;
            /**
             * @description The call that was changed.
             * @example demo-call-2
             */
            call_id: string;
            /**
             * @description Its agent.
             * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
             */
            agent_id: string;
            /**
             * @description The other party’s number of that call.
             * @example +14155550100
             */
            phone: string;
            /**
             * @description The outcome fields that were set or cleared, in this order.
             * @example [
             *       "custom_call_outcome",
             *       "custom_call_outcome_value"
             *     ]
             */
            updated_fields: ("custom_call_outcome" | "custom_call_outcome_value" | "custom_call_metadata")[];
        };
        /** @description A website of a knowledge base. `content` is JSON text, an array of `{ url, title, text }`, one for each page. */
        Website: {
            /**
             * @description The website.
             * @example web_01KB3P8V4N6T0R2X5Z7B9D1F3H
             */
            id: string;
            /**
             * @description The agent.
             * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
             */
            agentId: string;
            /**
             * @description Its name; at first that of its host.
             * @example www.example.com
             */
            name: string;
            /**
             * @description The page the crawl starts from.
             * @example https://www.example.com/
             */
            url: string;
            /**
             * @description Whether the agent answers from it.
             * @example true
             */
            active: boolean;
            /**
             * @description The user who changed it last.
             * @example demo-user
             */
            lastUpdatedBy: string;
            /**
             * Format: date-time
             * @description When it was changed last, by whomever: by the service too, when its crawl ended.
             * @example 2026-03-01T10:00:00.000Z
             */
            lastUpdatedAt: string;
            /**
             * @description How far its crawl has come.
             * @example ready
             * @enum {string}
             */
            status: "pending" | "crawling" | "ready" | "failed";
            /**
             * @description Why it failed, in a sentence.
             * @example The host was not found.
             */
            error?: string;
            /**
             * @description How many pages were read.
             * @example 5
             */
            pages: number;
            /** @description The pages that were not read. */
            failedPages: components["schemas"]["FailedPage"][];
            /**
             * @description How many pages are read at most.
             * @example 5
             */
            limit: number;
            /**
             * @description How many links they are away at most.
             * @example 1
             */
            maxDepth: number;
            /**
             * @description Only paths that one of these matches are read.
             * @example [
             *       "^/help/"
             *     ]
             */
            includePaths: string[];
            /**
             * @description Paths that one of these matches are not read.
             * @example [
             *       "/archive/"
             *     ]
             */
            excludePaths: string[];
            /**
             * Format: date-time
             * @description When the pages were read. Absent until they are for the first time.
             * @example 2026-03-01T10:00:00.000Z
             */
            lastCrawledAt?: string;
            /**
             * @description Its text.
             * @example Opening hours
             *
             *     We are open from nine to five.
             */
            content?: string;
            /**
             * @description The same as Markdown.
             * @example # Opening hours
             *
             *     We are open from nine to five.
             */
            contentMD?: string;
            /**
             * @description There is more text than a list shows: get the whole of it by itself.
             * @example true
             * @constant
             */
            truncated?: true;
        };
        /** @description A website of a knowledge base, without its text. */
        WebsiteSummary: {
            /**
             * @description The website.
             * @example web_01KB3P8V4N6T0R2X5Z7B9D1F3H
             */
            id: string;
            /**
             * @description The agent.
             * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
             */
            agentId: string;
            /**
             * @description Its name; at first that of its host.
             * @example www.example.com
             */
            name: string;
            /**
             * @description The page the crawl starts from.
             * @example https://www.example.com/
             */
            url: string;
            /**
             * @description Whether the agent answers from it.
             * @example true
             */
            active: boolean;
            /**
             * @description The user who changed it last.
             * @example demo-user
             */
            lastUpdatedBy: string;
            /**
             * Format: date-time
             * @description When it was changed last, by whomever: by the service too, when its crawl ended.
             * @example 2026-03-01T10:00:00.000Z
             */
            lastUpdatedAt: string;
            /**
             * @description How far its crawl has come.
             * @example ready
             * @enum {string}
             */
            status: "pending" | "crawling" | "ready" | "failed";
            /**
             * @description Why it failed, in a sentence.
             * @example The host was not found.
             */
            error?: string;
            /**
             * @description How many pages were read.
             * @example 5
             */
            pages: number;
            /** @description The pages that were not read. */
            failedPages: components["schemas"]["FailedPage"][];
            /**
             * @description How many pages are read at most.
             * @example 5
             */
            limit: number;
            /**
             * @description How many links they are away at most.
             * @example 1
             */
            maxDepth: number;
            /**
             * @description Only paths that one of these matches are read.
             * @example [
             *       "^/help/"
             *     ]
             */
            includePaths: string[];
            /**
             * @description Paths that one of these matches are not read.
             * @example [
             *       "/archive/"
             *     ]
             */
            excludePaths: string[];
            /**
             * Format: date-time
             * @description When the pages were read. Absent until they are for the first time.
             * @example 2026-03-01T10:00:00.000Z
             */
            lastCrawledAt?: string;
        };
    };
    responses: never;
    parameters: {
        /**
         * @description Makes the request safe to repeat, for 24 hours: with the same key and the same content it is answered as it was the first time. 1 to 255 visible ASCII characters, such as a UUID.
         * @example 3f2b8c1e-5a7d-4e90-8b61-2c9d0f4a7e13
         */
        IdempotencyKey: string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description The request’s identifier, under which the service’s log knows it. Quote it when you ask for help.
         * @example b1946ac9-2f4e-4c6a-9d5b-7e3f0c8a1d42
         */
        "x-request-id": string;
        /**
         * @description Seconds after which the same request may succeed.
         * @example 1
         */
        "retry-after": number;
        /**
         * @description `true` when this is the first answer to the Idempotency-Key again: nothing was done a second time.
         * @example true
         */
        "idempotency-replayed": "true";
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listBlockedNumbers: {
        parameters: {
            query: {
                /**
                 * @description The user the API key belongs to.
                 * @example demo-user
                 */
                uid: string;
                /**
                 * @description The agent.
                 * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
                 */
                agentId: string;
                /**
                 * @description How many items at most. Without it, as many as one answer may weigh (5 MB).
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description `nextCursor` of the page before.
                 * @example WyJkZW1vLWNhbGwtMiIsMTIzNDU2Nzg5XQ
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "blockList": [
                     *         "+14155550100"
                     *       ],
                     *       "entries": [
                     *         {
                     *           "number": "+14155550100",
                     *           "reason": "Spam",
                     *           "blockedAt": "2026-03-01T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": "WyJkZW1vLWNhbGwtMiIsMTIzNDU2Nzg5XQ"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description The numbers alone.
                         * @example [
                         *       "+14155550100"
                         *     ]
                         */
                        blockList: string[];
                        /**
                         * @description The same numbers, with what is known of each.
                         * @example [
                         *       {
                         *         "number": "+14155550100",
                         *         "reason": "Spam",
                         *         "blockedAt": "2026-03-01T10:00:00.000Z"
                         *       }
                         *     ]
                         */
                        entries: components["schemas"]["BlockedNumber"][];
                        /**
                         * @description Send it as `cursor` to get the next page. Absent on the last page.
                         * @example WyJkZW1vLWNhbGwtMiIsMTIzNDU2Nzg5XQ
                         */
                        nextCursor?: string;
                    };
                };
            };
            /**
             * @description A parameter is invalid.
             *
             *     `error` is `invalid_request`.
             */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The key is unknown, or its user may not use this agent.
             *
             *     `error` is `missing_api_key`, `invalid_api_key` or `insufficient_permissions`.
             */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.
             *
             *     `error` is `rate_limited`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    addBlockedNumbers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "uid": "demo-user",
                 *       "agentId": "agent_01KB3M5T3Q8RXN2M6J4HB7C0DE",
                 *       "numbers": [
                 *         "+14155550100",
                 *         "+44 20 7183 8750",
                 *         "12345"
                 *       ],
                 *       "reason": "Spam",
                 *       "expiresAt": "2099-01-31T12:00:00Z"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The user the API key belongs to.
                     * @example demo-user
                     */
                    uid: string;
                    /**
                     * @description The agent.
                     * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
                     */
                    agentId: string;
                    /**
                     * @description Phone numbers in E.164 format. Spaces, hyphens, dots and parentheses are ignored. A bad one fails alone.
                     * @example [
                     *       "+14155550100",
                     *       "+44 20 7183 8750",
                     *       "12345"
                     *     ]
                     */
                    numbers: string[];
                    /**
                     * @description Why the numbers are blocked.
                     * @example Spam
                     */
                    reason?: string;
                    /**
                     * Format: date-time
                     * @description When the numbers are to be unblocked by themselves; in the future.
                     * @example 2099-01-31T12:00:00Z
                     */
                    expiresAt?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Block list updated successfully",
                     *       "added": [
                     *         "+14155550100"
                     *       ],
                     *       "failed": [
                     *         {
                     *           "number": "12345",
                     *           "reason": "Invalid phone number format",
                     *           "code": "invalid_format"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Says that the request was carried out.
                         * @example Block list updated successfully
                         */
                        message: string;
                        /**
                         * @description The numbers that are blocked now and were not before, in E.164 format.
                         * @example [
                         *       "+14155550100"
                         *     ]
                         */
                        added: string[];
                        /**
                         * @description The numbers that were not, with the reason.
                         * @example [
                         *       {
                         *         "number": "12345",
                         *         "reason": "Invalid phone number format",
                         *         "code": "invalid_format"
                         *       }
                         *     ]
                         */
                        failed: components["schemas"]["BlockListFailure"][];
                    };
                };
            };
            /**
             * @description The body or its numbers are invalid.
             *
             *     `error` is `invalid_request` or `too_many_numbers`.
             */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The key is unknown, or its user may not use this agent.
             *
             *     `error` is `missing_api_key`, `invalid_api_key` or `insufficient_permissions`.
             */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The body is too large.
             *
             *     `error` is `payload_too_large`.
             */
            413: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.
             *
             *     `error` is `rate_limited`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeBlockedNumbers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "uid": "demo-user",
                 *       "agentId": "agent_01KB3M5T3Q8RXN2M6J4HB7C0DE",
                 *       "numbers": [
                 *         "+14155550100",
                 *         "+44 20 7183 8750",
                 *         "12345"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The user the API key belongs to.
                     * @example demo-user
                     */
                    uid: string;
                    /**
                     * @description The agent.
                     * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
                     */
                    agentId: string;
                    /**
                     * @description Phone numbers in E.164 format. Spaces, hyphens, dots and parentheses are ignored. A bad one fails alone.
                     * @example [
                     *       "+14155550100",
                     *       "+44 20 7183 8750",
                     *       "12345"
                     *     ]
                     */
                    numbers: string[];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Block list updated successfully",
                     *       "removed": [
                     *         "+14155550100"
                     *       ],
                     *       "failed": [
                     *         {
                     *           "number": "12345",
                     *           "reason": "Invalid phone number format",
                     *           "code": "invalid_format"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Says that the request was carried out.
                         * @example Block list updated successfully
                         */
                        message: string;
                        /**
                         * @description The numbers that were blocked and are no longer, in E.164 format.
                         * @example [
                         *       "+14155550100"
                         *     ]
                         */
                        removed: string[];
                        /**
                         * @description The numbers that were not, with the reason.
                         * @example [
                         *       {
                         *         "number": "12345",
                         *         "reason": "Invalid phone number format",
                         *         "code": "invalid_format"
                         *       }
                         *     ]
                         */
                        failed: components["schemas"]["BlockListFailure"][];
                    };
                };
            };
            /**
             * @description The body or its numbers are invalid.
             *
             *     `error` is `invalid_request` or `too_many_numbers`.
             */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The key is unknown, or its user may not use this agent.
             *
             *     `error` is `missing_api_key`, `invalid_api_key` or `insufficient_permissions`.
             */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The body is too large.
             *
             *     `error` is `payload_too_large`.
             */
            413: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.
             *
             *     `error` is `rate_limited`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    checkBlockedNumber: {
        parameters: {
            query: {
                /**
                 * @description The user the API key belongs to.
                 * @example demo-user
                 */
                uid: string;
                /**
                 * @description The agent.
                 * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
                 */
                agentId: string;
                /**
                 * @description The number to look for, in E.164 format.
                 * @example +14155550100
                 */
                number: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "number": "+14155550100",
                     *       "reason": "Spam",
                     *       "blockedAt": "2026-03-01T10:00:00.000Z",
                     *       "expiresAt": "2099-01-31T12:00:00.000Z",
                     *       "blocked": true
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description The number, in E.164 format.
                         * @example +14155550100
                         */
                        number: string;
                        /**
                         * @description Why it was blocked, when a reason was given.
                         * @example Spam
                         */
                        reason?: string;
                        /**
                         * Format: date-time
                         * @description When it was blocked.
                         * @example 2026-03-01T10:00:00.000Z
                         */
                        blockedAt?: string;
                        /**
                         * Format: date-time
                         * @description When it is unblocked by itself; absent when never.
                         * @example 2099-01-31T12:00:00.000Z
                         */
                        expiresAt?: string;
                        /**
                         * @description Whether it is blocked now.
                         * @example true
                         */
                        blocked: boolean;
                    };
                };
            };
            /**
             * @description A parameter is invalid.
             *
             *     `error` is `invalid_request`.
             */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The key is unknown, or its user may not use this agent.
             *
             *     `error` is `missing_api_key`, `invalid_api_key` or `insufficient_permissions`.
             */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.
             *
             *     `error` is `rate_limited`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    duplicateAgent: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes the request safe to repeat, for 24 hours: with the same key and the same content it is answered as it was the first time. 1 to 255 visible ASCII characters, such as a UUID.
                 * @example 3f2b8c1e-5a7d-4e90-8b61-2c9d0f4a7e13
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "uid": "demo-user",
                 *       "agentId": "agent_01KB3M5T3Q8RXN2M6J4HB7C0DE",
                 *       "name": "Front desk (Copy)"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The user the API key belongs to.
                     * @example demo-user
                     */
                    uid: string;
                    /**
                     * @description The agent to copy.
                     * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
                     */
                    agentId: string;
                    /**
                     * @description The copy’s name. Without one: the source’s with ` (Copy)`.
                     * @example Front desk (Copy)
                     */
                    name?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uid": "demo-user",
                     *       "agentId": "agent_01KB3N0W7C5M9Y2D4S6V8X1Z3T",
                     *       "name": "Front desk (Copy)",
                     *       "copied": {
                     *         "configuration": true,
                     *         "websites": 2,
                     *         "documents": 5,
                     *         "blockedNumbers": 120
                     *       },
                     *       "notCopied": [
                     *         "phoneNumber",
                     *         "calls",
                     *         "access"
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description The user who owns the copy.
                         * @example demo-user
                         */
                        uid: string;
                        /**
                         * @description The new agent.
                         * @example agent_01KB3N0W7C5M9Y2D4S6V8X1Z3T
                         */
                        agentId: string;
                        /**
                         * @description Its name.
                         * @example Front desk (Copy)
                         */
                        name: string;
                        /**
                         * @description What travelled.
                         * @example {
                         *       "configuration": true,
                         *       "websites": 2,
                         *       "documents": 5,
                         *       "blockedNumbers": 120
                         *     }
                         */
                        copied: {
                            /**
                             * @description Given while the copy is still being made.
                             * @example pending
                             * @constant
                             */
                            status?: "pending";
                            /**
                             * @description Whether the configuration was copied.
                             * @example true
                             */
                            configuration: boolean;
                            /**
                             * @description How many websites were copied so far.
                             * @example 2
                             */
                            websites: number;
                            /**
                             * @description How many documents were copied so far.
                             * @example 5
                             */
                            documents: number;
                            /**
                             * @description How many blocked numbers were copied so far.
                             * @example 120
                             */
                            blockedNumbers: number;
                        };
                        /**
                         * @description What stays with the source.
                         * @example [
                         *       "phoneNumber",
                         *       "calls",
                         *       "access"
                         *     ]
                         */
                        notCopied: string[];
                    };
                };
            };
            /**
             * @description The body is invalid.
             *
             *     `error` is `invalid_request`.
             */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The key is unknown, or its user may not use this agent.
             *
             *     `error` is `missing_api_key`, `invalid_api_key` or `insufficient_permissions`.
             */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The Idempotency-Key was used before: with another request, or with one that is still running.
             *
             *     `error` is `idempotency_conflict` or `idempotency_in_progress`.
             */
            409: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The body is too large.
             *
             *     `error` is `payload_too_large`.
             */
            413: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.
             *
             *     `error` is `rate_limited`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAgents: {
        parameters: {
            query: {
                /**
                 * @description The user the API key belongs to.
                 * @example demo-user
                 */
                uid: string;
                /**
                 * @description How many items at most. Without it, as many as one answer may weigh (5 MB).
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description `nextCursor` of the page before.
                 * @example WyJkZW1vLWNhbGwtMiIsMTIzNDU2Nzg5XQ
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "agents": [
                     *         {
                     *           "uid": "demo-user",
                     *           "agentId": "agent_01KB3M5T3Q8RXN2M6J4HB7C0DE",
                     *           "name": "Front desk",
                     *           "configuration": {
                     *             "greeting": "Hello, how can I help you?",
                     *             "instructions": "Answer briefly. Offer an appointment to everybody who asks for one.",
                     *             "voice": "warm",
                     *             "language": "en-US",
                     *             "model": "default",
                     *             "timeZone": "Europe/Berlin",
                     *             "transferTo": "+14155550199",
                     *             "variables": {
                     *               "company": "Example Dental",
                     *               "openingHour": 9
                     *             }
                     *           },
                     *           "phoneNumber": "+14155550123",
                     *           "createdAt": "2026-03-01T10:00:00.000Z",
                     *           "updatedAt": "2026-03-01T10:00:00.000Z",
                     *           "sourceAgentId": "agent_01KA8QF0X2V5TJ9W3N6YBD4C7E"
                     *         }
                     *       ],
                     *       "nextCursor": "WyJkZW1vLWNhbGwtMiIsMTIzNDU2Nzg5XQ"
                     *     }
                     */
                    "application/json": {
                        /** @description The agents. */
                        agents: components["schemas"]["Agent"][];
                        /**
                         * @description Send it as `cursor` to get the next page. Absent on the last page.
                         * @example WyJkZW1vLWNhbGwtMiIsMTIzNDU2Nzg5XQ
                         */
                        nextCursor?: string;
                    };
                };
            };
            /**
             * @description A parameter is invalid.
             *
             *     `error` is `invalid_request`.
             */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The key is unknown, or not this user’s.
             *
             *     `error` is `missing_api_key`, `invalid_api_key` or `insufficient_permissions`.
             */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.
             *
             *     `error` is `rate_limited`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createAgent: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes the request safe to repeat, for 24 hours: with the same key and the same content it is answered as it was the first time. 1 to 255 visible ASCII characters, such as a UUID.
                 * @example 3f2b8c1e-5a7d-4e90-8b61-2c9d0f4a7e13
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "uid": "demo-user",
                 *       "name": "Front desk",
                 *       "configuration": {
                 *         "greeting": "Hello, how can I help you?",
                 *         "instructions": "Answer briefly. Offer an appointment to everybody who asks for one.",
                 *         "voice": "warm",
                 *         "language": "en-US",
                 *         "model": "default",
                 *         "timeZone": "Europe/Berlin",
                 *         "transferTo": "+14155550199",
                 *         "variables": {
                 *           "company": "Example Dental",
                 *           "openingHour": 9
                 *         }
                 *       },
                 *       "phoneNumber": "+14155550123"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The user the API key belongs to.
                     * @example demo-user
                     */
                    uid: string;
                    /**
                     * @description The agent’s name.
                     * @example Front desk
                     */
                    name: string;
                    /** @default {} */
                    configuration?: components["schemas"]["AgentConfiguration"];
                    /**
                     * @description The number the agent answers.
                     * @example +14155550123
                     */
                    phoneNumber?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uid": "demo-user",
                     *       "agentId": "agent_01KB3M5T3Q8RXN2M6J4HB7C0DE",
                     *       "name": "Front desk",
                     *       "configuration": {
                     *         "greeting": "Hello, how can I help you?",
                     *         "instructions": "Answer briefly. Offer an appointment to everybody who asks for one.",
                     *         "voice": "warm",
                     *         "language": "en-US",
                     *         "model": "default",
                     *         "timeZone": "Europe/Berlin",
                     *         "transferTo": "+14155550199",
                     *         "variables": {
                     *           "company": "Example Dental",
                     *           "openingHour": 9
                     *         }
                     *       },
                     *       "phoneNumber": "+14155550123",
                     *       "createdAt": "2026-03-01T10:00:00.000Z",
                     *       "updatedAt": "2026-03-01T10:00:00.000Z",
                     *       "sourceAgentId": "agent_01KA8QF0X2V5TJ9W3N6YBD4C7E"
                     *     }
                     */
                    "application/json": components["schemas"]["Agent"];
                };
            };
            /**
             * @description The body is invalid.
             *
             *     `error` is `invalid_request`.
             */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The key is unknown, or not this user’s.
             *
             *     `error` is `missing_api_key`, `invalid_api_key` or `insufficient_permissions`.
             */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The Idempotency-Key was used before: with another request, or with one that is still running.
             *
             *     `error` is `idempotency_conflict` or `idempotency_in_progress`.
             */
            409: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The body is too large.
             *
             *     `error` is `payload_too_large`.
             */
            413: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.
             *
             *     `error` is `rate_limited`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The agent.
                 * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
                 */
                agentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uid": "demo-user",
                     *       "agentId": "agent_01KB3M5T3Q8RXN2M6J4HB7C0DE",
                     *       "name": "Front desk",
                     *       "configuration": {
                     *         "greeting": "Hello, how can I help you?",
                     *         "instructions": "Answer briefly. Offer an appointment to everybody who asks for one.",
                     *         "voice": "warm",
                     *         "language": "en-US",
                     *         "model": "default",
                     *         "timeZone": "Europe/Berlin",
                     *         "transferTo": "+14155550199",
                     *         "variables": {
                     *           "company": "Example Dental",
                     *           "openingHour": 9
                     *         }
                     *       },
                     *       "phoneNumber": "+14155550123",
                     *       "createdAt": "2026-03-01T10:00:00.000Z",
                     *       "updatedAt": "2026-03-01T10:00:00.000Z",
                     *       "sourceAgentId": "agent_01KA8QF0X2V5TJ9W3N6YBD4C7E"
                     *     }
                     */
                    "application/json": components["schemas"]["Agent"];
                };
            };
            /**
             * @description The key is unknown, or its user may not use this agent.
             *
             *     `error` is `missing_api_key`, `invalid_api_key` or `insufficient_permissions`.
             */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.
             *
             *     `error` is `rate_limited`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The agent.
                 * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
                 */
                agentId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Front desk",
                 *       "configuration": {
                 *         "greeting": "Hello, how can I help you?",
                 *         "instructions": "Answer briefly. Offer an appointment to everybody who asks for one.",
                 *         "voice": "warm",
                 *         "language": "en-US",
                 *         "model": "default",
                 *         "timeZone": "Europe/Berlin",
                 *         "transferTo": "+14155550199",
                 *         "variables": {
                 *           "company": "Example Dental",
                 *           "openingHour": 9
                 *         }
                 *       },
                 *       "phoneNumber": "+14155550123"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The agent’s name.
                     * @example Front desk
                     */
                    name?: string;
                    configuration?: components["schemas"]["AgentConfigurationChange"];
                    /**
                     * @description The number the agent answers; `null` clears it.
                     * @example +14155550123
                     */
                    phoneNumber?: string | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uid": "demo-user",
                     *       "agentId": "agent_01KB3M5T3Q8RXN2M6J4HB7C0DE",
                     *       "name": "Front desk",
                     *       "configuration": {
                     *         "greeting": "Hello, how can I help you?",
                     *         "instructions": "Answer briefly. Offer an appointment to everybody who asks for one.",
                     *         "voice": "warm",
                     *         "language": "en-US",
                     *         "model": "default",
                     *         "timeZone": "Europe/Berlin",
                     *         "transferTo": "+14155550199",
                     *         "variables": {
                     *           "company": "Example Dental",
                     *           "openingHour": 9
                     *         }
                     *       },
                     *       "phoneNumber": "+14155550123",
                     *       "createdAt": "2026-03-01T10:00:00.000Z",
                     *       "updatedAt": "2026-03-01T10:00:00.000Z",
                     *       "sourceAgentId": "agent_01KA8QF0X2V5TJ9W3N6YBD4C7E"
                     *     }
                     */
                    "application/json": components["schemas"]["Agent"];
                };
            };
            /**
             * @description The body is invalid.
             *
             *     `error` is `invalid_request`.
             */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The key is unknown, or its user may not use this agent.
             *
             *     `error` is `missing_api_key`, `invalid_api_key` or `insufficient_permissions`.
             */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The body is too large.
             *
             *     `error` is `payload_too_large`.
             */
            413: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.
             *
             *     `error` is `rate_limited`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listDocuments: {
        parameters: {
            query: {
                /**
                 * @description The user the API key belongs to.
                 * @example demo-user
                 */
                uid: string;
                /**
                 * @description The agent.
                 * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
                 */
                agentId: string;
                /**
                 * @description `false` leaves `content` and `contentMD` out.
                 * @example false
                 */
                content?: "true" | "false";
                /**
                 * @description How many items at most. Without it, as many as one answer may weigh (5 MB).
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description `nextCursor` of the page before.
                 * @example WyJkZW1vLWNhbGwtMiIsMTIzNDU2Nzg5XQ
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "documents": [
                     *         {
                     *           "id": "doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0",
                     *           "agentId": "agent_01KB3M5T3Q8RXN2M6J4HB7C0DE",
                     *           "name": "Price list.pdf",
                     *           "active": true,
                     *           "lastUpdatedBy": "demo-user",
                     *           "lastUpdatedAt": "2026-03-01T10:00:00.000Z",
                     *           "fileUrl": "https://files.example.com/documents/agent_01KB3M5T3Q8RXN2M6J4HB7C0DE.doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0?X-Amz-Expires=900",
                     *           "status": "ready",
                     *           "error": "The document is protected with a password.",
                     *           "size": 48213,
                     *           "type": "pdf",
                     *           "content": "Opening hours\n\nWe are open from nine to five.",
                     *           "contentMD": "# Opening hours\n\nWe are open from nine to five.",
                     *           "truncated": true
                     *         }
                     *       ],
                     *       "nextCursor": "WyJkZW1vLWNhbGwtMiIsMTIzNDU2Nzg5XQ"
                     *     }
                     */
                    "application/json": {
                        /** @description The documents, oldest first. */
                        documents: components["schemas"]["Document"][];
                        /**
                         * @description Send it as `cursor` to get the next page. Absent on the last page.
                         * @example WyJkZW1vLWNhbGwtMiIsMTIzNDU2Nzg5XQ
                         */
                        nextCursor?: string;
                    };
                };
            };
            /**
             * @description A parameter is invalid.
             *
             *     `error` is `invalid_request`.
             */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The key is unknown, or its user may not use this agent.
             *
             *     `error` is `missing_api_key`, `invalid_api_key` or `insufficient_permissions`.
             */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.
             *
             *     `error` is `rate_limited`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    uploadDocuments: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes the request safe to repeat, for 24 hours: with the same key and the same content it is answered as it was the first time. 1 to 255 visible ASCII characters, such as a UUID.
                 * @example 3f2b8c1e-5a7d-4e90-8b61-2c9d0f4a7e13
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "uid": "demo-user",
                 *       "agentId": "agent_01KB3M5T3Q8RXN2M6J4HB7C0DE",
                 *       "files": [
                 *         "…"
                 *       ]
                 *     }
                 */
                "multipart/form-data": {
                    /**
                     * @description The user the API key belongs to.
                     * @example demo-user
                     */
                    uid: string;
                    /**
                     * @description The agent.
                     * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
                     */
                    agentId: string;
                    /** @description The files; they may also come in fields named `files[]` or `file`. */
                    files: string[];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "documentIds": [
                     *         "doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0"
                     *       ],
                     *       "message": "Files uploaded successfully",
                     *       "documents": [
                     *         {
                     *           "documentId": "doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0",
                     *           "name": "Price list.pdf"
                     *         }
                     *       ],
                     *       "failed": [
                     *         {
                     *           "name": "setup.exe",
                     *           "code": "unsupported_file_type",
                     *           "reason": "The file is no PDF, Word document (.docx) or text."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description The documents made, in the order of the files kept.
                         * @example [
                         *       "doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0"
                         *     ]
                         */
                        documentIds: string[];
                        /**
                         * @description Says that files were taken.
                         * @example Files uploaded successfully
                         */
                        message: string;
                        /** @description The same with their names. */
                        documents: {
                            /**
                             * @description The document.
                             * @example doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0
                             */
                            documentId: string;
                            /**
                             * @description The name of its file.
                             * @example Price list.pdf
                             */
                            name: string;
                        }[];
                        /** @description The files that were not taken. */
                        failed: components["schemas"]["RefusedFile"][];
                    };
                };
            };
            /**
             * @description The form is invalid, or none of its files is taken.
             *
             *     `error` is `invalid_request`, `too_many_files`, `file_too_large`, `unsupported_file_type` or `empty_file`.
             */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The key is unknown, or its user may not use this agent.
             *
             *     `error` is `missing_api_key`, `invalid_api_key` or `insufficient_permissions`.
             */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The Idempotency-Key was used before: with another request, or with one that is still running.
             *
             *     `error` is `idempotency_conflict` or `idempotency_in_progress`.
             */
            409: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The files are too large for one request: use upload forms.
             *
             *     `error` is `payload_too_large`.
             */
            413: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.
             *
             *     `error` is `rate_limited`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteDocument: {
        parameters: {
            query: {
                /**
                 * @description The user the API key belongs to.
                 * @example demo-user
                 */
                uid: string;
                /**
                 * @description The agent.
                 * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
                 */
                agentId: string;
                /**
                 * @description The document.
                 * @example doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0
                 */
                documentId: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Document deleted successfully"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Says that it is gone.
                         * @example Document deleted successfully
                         */
                        message: string;
                    };
                };
            };
            /**
             * @description A parameter is invalid.
             *
             *     `error` is `invalid_request`.
             */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The key is unknown, or its user may not use this agent.
             *
             *     `error` is `missing_api_key`, `invalid_api_key` or `insufficient_permissions`.
             */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description There is no such document.
             *
             *     `error` is `document_not_found`.
             */
            404: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.
             *
             *     `error` is `rate_limited`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateDocument: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "uid": "demo-user",
                 *       "agentId": "agent_01KB3M5T3Q8RXN2M6J4HB7C0DE",
                 *       "documentId": "doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0",
                 *       "active": true,
                 *       "name": "Opening hours"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The user the API key belongs to.
                     * @example demo-user
                     */
                    uid: string;
                    /**
                     * @description The agent.
                     * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
                     */
                    agentId: string;
                    /**
                     * @description The document.
                     * @example doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0
                     */
                    documentId: string;
                    /**
                     * @description Whether the agent answers from it.
                     * @example true
                     */
                    active?: boolean;
                    /**
                     * @description Its name.
                     * @example Opening hours
                     */
                    name?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0",
                     *       "agentId": "agent_01KB3M5T3Q8RXN2M6J4HB7C0DE",
                     *       "name": "Price list.pdf",
                     *       "active": true,
                     *       "lastUpdatedBy": "demo-user",
                     *       "lastUpdatedAt": "2026-03-01T10:00:00.000Z",
                     *       "fileUrl": "https://files.example.com/documents/agent_01KB3M5T3Q8RXN2M6J4HB7C0DE.doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0?X-Amz-Expires=900",
                     *       "status": "ready",
                     *       "error": "The document is protected with a password.",
                     *       "size": 48213,
                     *       "type": "pdf"
                     *     }
                     */
                    "application/json": components["schemas"]["DocumentSummary"];
                };
            };
            /**
             * @description The body is invalid.
             *
             *     `error` is `invalid_request`.
             */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The key is unknown, or its user may not use this agent.
             *
             *     `error` is `missing_api_key`, `invalid_api_key` or `insufficient_permissions`.
             */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description There is no such document.
             *
             *     `error` is `document_not_found`.
             */
            404: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The body is too large.
             *
             *     `error` is `payload_too_large`.
             */
            413: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.
             *
             *     `error` is `rate_limited`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getDocumentContent: {
        parameters: {
            query: {
                /**
                 * @description The user the API key belongs to.
                 * @example demo-user
                 */
                uid: string;
                /**
                 * @description The agent.
                 * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
                 */
                agentId: string;
                /**
                 * @description The document.
                 * @example doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0
                 */
                documentId: string;
                /**
                 * @description `nextCursor` of the page before.
                 * @example WyJkZW1vLWNhbGwtMiIsMTIzNDU2Nzg5XQ
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "content": "Opening hours\n\nWe are open from nine to five.",
                     *       "contentMD": "# Opening hours\n\nWe are open from nine to five.",
                     *       "nextCursor": "WyJkZW1vLWNhbGwtMiIsMTIzNDU2Nzg5XQ"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Its text.
                         * @example Opening hours
                         *
                         *     We are open from nine to five.
                         */
                        content: string;
                        /**
                         * @description The same as Markdown.
                         * @example # Opening hours
                         *
                         *     We are open from nine to five.
                         */
                        contentMD: string;
                        /**
                         * @description Send it as `cursor` to get the next page. Absent on the last page.
                         * @example WyJkZW1vLWNhbGwtMiIsMTIzNDU2Nzg5XQ
                         */
                        nextCursor?: string;
                    };
                };
            };
            /**
             * @description A parameter is invalid, or the text was replaced since the cursor was given.
             *
             *     `error` is `invalid_request`.
             */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The key is unknown, or its user may not use this agent.
             *
             *     `error` is `missing_api_key`, `invalid_api_key` or `insufficient_permissions`.
             */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description There is no such document.
             *
             *     `error` is `document_not_found`.
             */
            404: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.
             *
             *     `error` is `rate_limited`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createDocumentUploads: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes the request safe to repeat, for 24 hours: with the same key and the same content it is answered as it was the first time. 1 to 255 visible ASCII characters, such as a UUID.
                 * @example 3f2b8c1e-5a7d-4e90-8b61-2c9d0f4a7e13
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "uid": "demo-user",
                 *       "agentId": "agent_01KB3M5T3Q8RXN2M6J4HB7C0DE",
                 *       "files": [
                 *         {
                 *           "name": "Handbook.pdf",
                 *           "size": 7340032,
                 *           "type": "application/pdf"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The user the API key belongs to.
                     * @example demo-user
                     */
                    uid: string;
                    /**
                     * @description The agent.
                     * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
                     */
                    agentId: string;
                    /** @description The files that are to come. */
                    files: {
                        /**
                         * @description The file’s name.
                         * @example Handbook.pdf
                         */
                        name: string;
                        /**
                         * @description Its bytes.
                         * @example 7340032
                         */
                        size: number;
                        /**
                         * @description Its media type, as a browser gives it. What counts is its content.
                         * @example application/pdf
                         */
                        type?: string;
                    }[];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uploads": [
                     *         {
                     *           "documentId": "doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0",
                     *           "name": "Handbook.pdf",
                     *           "url": "https://files.example.com/",
                     *           "fields": {
                     *             "key": "documents/agent_01KB3M5T3Q8RXN2M6J4HB7C0DE.doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0",
                     *             "policy": "eyJleHBpcmF0aW9uIjoi…"
                     *           }
                     *         }
                     *       ],
                     *       "failed": [
                     *         {
                     *           "name": "setup.exe",
                     *           "code": "unsupported_file_type",
                     *           "reason": "The file is no PDF, Word document (.docx) or text."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description The forms, in the order of the files kept. */
                        uploads: {
                            /**
                             * @description The document.
                             * @example doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0
                             */
                            documentId: string;
                            /**
                             * @description The name of its file.
                             * @example Handbook.pdf
                             */
                            name: string;
                            /**
                             * @description Where to POST the form, within 15 minutes.
                             * @example https://files.example.com/
                             */
                            url: string;
                            /**
                             * @description Its fields; the field `file` comes after them.
                             * @example {
                             *       "key": "documents/agent_01KB3M5T3Q8RXN2M6J4HB7C0DE.doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0",
                             *       "policy": "eyJleHBpcmF0aW9uIjoi…"
                             *     }
                             */
                            fields: {
                                [key: string]: string;
                            };
                        }[];
                        /** @description The files that are not taken. */
                        failed: components["schemas"]["RefusedFile"][];
                    };
                };
            };
            /**
             * @description The body is invalid, or none of its files is taken.
             *
             *     `error` is `invalid_request`, `too_many_files`, `file_too_large`, `unsupported_file_type` or `empty_file`.
             */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The key is unknown, or its user may not use this agent.
             *
             *     `error` is `missing_api_key`, `invalid_api_key` or `insufficient_permissions`.
             */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The Idempotency-Key was used before: with another request, or with one that is still running.
             *
             *     `error` is `idempotency_conflict` or `idempotency_in_progress`.
             */
            409: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The body is too large.
             *
             *     `error` is `payload_too_large`.
             */
            413: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.
             *
             *     `error` is `rate_limited`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    retryDocument: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "uid": "demo-user",
                 *       "agentId": "agent_01KB3M5T3Q8RXN2M6J4HB7C0DE",
                 *       "documentId": "doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The user the API key belongs to.
                     * @example demo-user
                     */
                    uid: string;
                    /**
                     * @description The agent.
                     * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
                     */
                    agentId: string;
                    /**
                     * @description The document.
                     * @example doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0
                     */
                    documentId: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "documentId": "doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0",
                     *       "message": "Document will be tried again",
                     *       "status": "pending"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description The document.
                         * @example doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0
                         */
                        documentId: string;
                        /**
                         * @description Says that it is tried again.
                         * @example Document will be tried again
                         */
                        message: string;
                        /**
                         * @description Its status from now on.
                         * @example pending
                         * @constant
                         */
                        status: "pending";
                    };
                };
            };
            /**
             * @description The body is invalid.
             *
             *     `error` is `invalid_request`.
             */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The key is unknown, or its user may not use this agent.
             *
             *     `error` is `missing_api_key`, `invalid_api_key` or `insufficient_permissions`.
             */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description There is no such document.
             *
             *     `error` is `document_not_found`.
             */
            404: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The document did not fail.
             *
             *     `error` is `not_failed`.
             */
            409: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The body is too large.
             *
             *     `error` is `payload_too_large`.
             */
            413: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.
             *
             *     `error` is `rate_limited`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listWebsites: {
        parameters: {
            query: {
                /**
                 * @description The user the API key belongs to.
                 * @example demo-user
                 */
                uid: string;
                /**
                 * @description The agent.
                 * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
                 */
                agentId: string;
                /**
                 * @description `false` leaves `content` and `contentMD` out.
                 * @example false
                 */
                content?: "true" | "false";
                /**
                 * @description How many items at most. Without it, as many as one answer may weigh (5 MB).
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description `nextCursor` of the page before.
                 * @example WyJkZW1vLWNhbGwtMiIsMTIzNDU2Nzg5XQ
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "websites": [
                     *         {
                     *           "id": "web_01KB3P8V4N6T0R2X5Z7B9D1F3H",
                     *           "agentId": "agent_01KB3M5T3Q8RXN2M6J4HB7C0DE",
                     *           "name": "www.example.com",
                     *           "url": "https://www.example.com/",
                     *           "active": true,
                     *           "lastUpdatedBy": "demo-user",
                     *           "lastUpdatedAt": "2026-03-01T10:00:00.000Z",
                     *           "status": "ready",
                     *           "error": "The host was not found.",
                     *           "pages": 5,
                     *           "failedPages": [
                     *             {
                     *               "url": "https://www.example.com/broken",
                     *               "reason": "The page answered with status 404."
                     *             }
                     *           ],
                     *           "limit": 5,
                     *           "maxDepth": 1,
                     *           "includePaths": [
                     *             "^/help/"
                     *           ],
                     *           "excludePaths": [
                     *             "/archive/"
                     *           ],
                     *           "lastCrawledAt": "2026-03-01T10:00:00.000Z",
                     *           "content": "Opening hours\n\nWe are open from nine to five.",
                     *           "contentMD": "# Opening hours\n\nWe are open from nine to five.",
                     *           "truncated": true
                     *         }
                     *       ],
                     *       "nextCursor": "WyJkZW1vLWNhbGwtMiIsMTIzNDU2Nzg5XQ"
                     *     }
                     */
                    "application/json": {
                        /** @description The websites, oldest first. */
                        websites: components["schemas"]["Website"][];
                        /**
                         * @description Send it as `cursor` to get the next page. Absent on the last page.
                         * @example WyJkZW1vLWNhbGwtMiIsMTIzNDU2Nzg5XQ
                         */
                        nextCursor?: string;
                    };
                };
            };
            /**
             * @description A parameter is invalid.
             *
             *     `error` is `invalid_request`.
             */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The key is unknown, or its user may not use this agent.
             *
             *     `error` is `missing_api_key`, `invalid_api_key` or `insufficient_permissions`.
             */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.
             *
             *     `error` is `rate_limited`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    addWebsite: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes the request safe to repeat, for 24 hours: with the same key and the same content it is answered as it was the first time. 1 to 255 visible ASCII characters, such as a UUID.
                 * @example 3f2b8c1e-5a7d-4e90-8b61-2c9d0f4a7e13
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "limit": 5,
                 *       "maxDepth": 1,
                 *       "includePaths": [
                 *         "^/help/"
                 *       ],
                 *       "excludePaths": [
                 *         "/archive/"
                 *       ],
                 *       "uid": "demo-user",
                 *       "agentId": "agent_01KB3M5T3Q8RXN2M6J4HB7C0DE",
                 *       "url": "https://www.example.com/",
                 *       "name": "Opening hours"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description How many pages are read; more than 10 count as that many.
                     * @example 5
                     */
                    limit?: number;
                    /**
                     * @description How many links a page may be away from the start page; more than 10 count as that many.
                     * @example 1
                     */
                    maxDepth?: number;
                    /**
                     * @description Only pages whose path one of these matches are read. Regular expressions, found anywhere in the path; of those that match in linear time, so without look-around and back-references.
                     * @default []
                     * @example [
                     *       "^/help/"
                     *     ]
                     */
                    includePaths?: string[];
                    /**
                     * @description Pages whose path one of these matches are not read. Regular expressions, found anywhere in the path; of those that match in linear time, so without look-around and back-references.
                     * @default []
                     * @example [
                     *       "/archive/"
                     *     ]
                     */
                    excludePaths?: string[];
                    /**
                     * @description The user the API key belongs to.
                     * @example demo-user
                     */
                    uid: string;
                    /**
                     * @description The agent.
                     * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
                     */
                    agentId: string;
                    /**
                     * Format: uri
                     * @description The page the crawl starts from.
                     * @example https://www.example.com/
                     */
                    url: string;
                    /**
                     * @description Its name.
                     * @example Opening hours
                     */
                    name?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "websiteId": "web_01KB3P8V4N6T0R2X5Z7B9D1F3H",
                     *       "message": "Website added successfully",
                     *       "status": "pending",
                     *       "limit": 5,
                     *       "maxDepth": 1
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description The website.
                         * @example web_01KB3P8V4N6T0R2X5Z7B9D1F3H
                         */
                        websiteId: string;
                        /**
                         * @description Says that it is added.
                         * @example Website added successfully
                         */
                        message: string;
                        /**
                         * @description The crawl has not begun yet.
                         * @example pending
                         * @constant
                         */
                        status: "pending";
                        /**
                         * @description How many pages will be read at most.
                         * @example 5
                         */
                        limit: number;
                        /**
                         * @description How many links they will be away at most.
                         * @example 1
                         */
                        maxDepth: number;
                    };
                };
            };
            /**
             * @description The body is invalid.
             *
             *     `error` is `invalid_request`.
             */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The key is unknown, or its user may not use this agent.
             *
             *     `error` is `missing_api_key`, `invalid_api_key` or `insufficient_permissions`.
             */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The Idempotency-Key was used before: with another request, or with one that is still running.
             *
             *     `error` is `idempotency_conflict` or `idempotency_in_progress`.
             */
            409: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The body is too large.
             *
             *     `error` is `payload_too_large`.
             */
            413: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.
             *
             *     `error` is `rate_limited`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteWebsite: {
        parameters: {
            query: {
                /**
                 * @description The user the API key belongs to.
                 * @example demo-user
                 */
                uid: string;
                /**
                 * @description The agent.
                 * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
                 */
                agentId: string;
                /**
                 * @description The website.
                 * @example web_01KB3P8V4N6T0R2X5Z7B9D1F3H
                 */
                websiteId: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Website deleted successfully"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Says that it is gone.
                         * @example Website deleted successfully
                         */
                        message: string;
                    };
                };
            };
            /**
             * @description A parameter is invalid.
             *
             *     `error` is `invalid_request`.
             */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The key is unknown, or its user may not use this agent.
             *
             *     `error` is `missing_api_key`, `invalid_api_key` or `insufficient_permissions`.
             */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description There is no such website.
             *
             *     `error` is `website_not_found`.
             */
            404: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.
             *
             *     `error` is `rate_limited`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateWebsite: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "uid": "demo-user",
                 *       "agentId": "agent_01KB3M5T3Q8RXN2M6J4HB7C0DE",
                 *       "websiteId": "web_01KB3P8V4N6T0R2X5Z7B9D1F3H",
                 *       "active": true,
                 *       "name": "Opening hours"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The user the API key belongs to.
                     * @example demo-user
                     */
                    uid: string;
                    /**
                     * @description The agent.
                     * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
                     */
                    agentId: string;
                    /**
                     * @description The website.
                     * @example web_01KB3P8V4N6T0R2X5Z7B9D1F3H
                     */
                    websiteId: string;
                    /**
                     * @description Whether the agent answers from it.
                     * @example true
                     */
                    active?: boolean;
                    /**
                     * @description Its name.
                     * @example Opening hours
                     */
                    name?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "web_01KB3P8V4N6T0R2X5Z7B9D1F3H",
                     *       "agentId": "agent_01KB3M5T3Q8RXN2M6J4HB7C0DE",
                     *       "name": "www.example.com",
                     *       "url": "https://www.example.com/",
                     *       "active": true,
                     *       "lastUpdatedBy": "demo-user",
                     *       "lastUpdatedAt": "2026-03-01T10:00:00.000Z",
                     *       "status": "ready",
                     *       "error": "The host was not found.",
                     *       "pages": 5,
                     *       "failedPages": [
                     *         {
                     *           "url": "https://www.example.com/broken",
                     *           "reason": "The page answered with status 404."
                     *         }
                     *       ],
                     *       "limit": 5,
                     *       "maxDepth": 1,
                     *       "includePaths": [
                     *         "^/help/"
                     *       ],
                     *       "excludePaths": [
                     *         "/archive/"
                     *       ],
                     *       "lastCrawledAt": "2026-03-01T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WebsiteSummary"];
                };
            };
            /**
             * @description The body is invalid.
             *
             *     `error` is `invalid_request`.
             */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The key is unknown, or its user may not use this agent.
             *
             *     `error` is `missing_api_key`, `invalid_api_key` or `insufficient_permissions`.
             */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description There is no such website.
             *
             *     `error` is `website_not_found`.
             */
            404: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The body is too large.
             *
             *     `error` is `payload_too_large`.
             */
            413: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.
             *
             *     `error` is `rate_limited`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getWebsiteContent: {
        parameters: {
            query: {
                /**
                 * @description The user the API key belongs to.
                 * @example demo-user
                 */
                uid: string;
                /**
                 * @description The agent.
                 * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
                 */
                agentId: string;
                /**
                 * @description The website.
                 * @example web_01KB3P8V4N6T0R2X5Z7B9D1F3H
                 */
                websiteId: string;
                /**
                 * @description `nextCursor` of the page before.
                 * @example WyJkZW1vLWNhbGwtMiIsMTIzNDU2Nzg5XQ
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "content": "Opening hours\n\nWe are open from nine to five.",
                     *       "contentMD": "# Opening hours\n\nWe are open from nine to five.",
                     *       "nextCursor": "WyJkZW1vLWNhbGwtMiIsMTIzNDU2Nzg5XQ"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Its text.
                         * @example Opening hours
                         *
                         *     We are open from nine to five.
                         */
                        content: string;
                        /**
                         * @description The same as Markdown.
                         * @example # Opening hours
                         *
                         *     We are open from nine to five.
                         */
                        contentMD: string;
                        /**
                         * @description Send it as `cursor` to get the next page. Absent on the last page.
                         * @example WyJkZW1vLWNhbGwtMiIsMTIzNDU2Nzg5XQ
                         */
                        nextCursor?: string;
                    };
                };
            };
            /**
             * @description A parameter is invalid, or the text was replaced since the cursor was given.
             *
             *     `error` is `invalid_request`.
             */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The key is unknown, or its user may not use this agent.
             *
             *     `error` is `missing_api_key`, `invalid_api_key` or `insufficient_permissions`.
             */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description There is no such website.
             *
             *     `error` is `website_not_found`.
             */
            404: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.
             *
             *     `error` is `rate_limited`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    refreshWebsite: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "uid": "demo-user",
                 *       "agentId": "agent_01KB3M5T3Q8RXN2M6J4HB7C0DE",
                 *       "websiteId": "web_01KB3P8V4N6T0R2X5Z7B9D1F3H"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The user the API key belongs to.
                     * @example demo-user
                     */
                    uid: string;
                    /**
                     * @description The agent.
                     * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
                     */
                    agentId: string;
                    /**
                     * @description The website.
                     * @example web_01KB3P8V4N6T0R2X5Z7B9D1F3H
                     */
                    websiteId: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "websiteId": "web_01KB3P8V4N6T0R2X5Z7B9D1F3H",
                     *       "message": "Website refresh started",
                     *       "status": "pending"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description The website.
                         * @example web_01KB3P8V4N6T0R2X5Z7B9D1F3H
                         */
                        websiteId: string;
                        /**
                         * @description Says that it is begun.
                         * @example Website refresh started
                         */
                        message: string;
                        /**
                         * @description The crawl has not begun yet.
                         * @example pending
                         * @constant
                         */
                        status: "pending";
                    };
                };
            };
            /**
             * @description The body is invalid.
             *
             *     `error` is `invalid_request`.
             */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The key is unknown, or its user may not use this agent.
             *
             *     `error` is `missing_api_key`, `invalid_api_key` or `insufficient_permissions`.
             */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description There is no such website.
             *
             *     `error` is `website_not_found`.
             */
            404: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description A crawl of it is under way.
             *
             *     `error` is `crawl_in_progress`.
             */
            409: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The body is too large.
             *
             *     `error` is `payload_too_large`.
             */
            413: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.
             *
             *     `error` is `rate_limited`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getCall: {
        parameters: {
            query?: {
                /**
                 * @description Which call of a phone number is meant: the earliest (`first`) or the most recent (`last`). Of no effect with a call id.
                 * @example last
                 */
                preference?: "first" | "last";
            };
            header?: never;
            path: {
                /**
                 * @description The agent.
                 * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
                 */
                agentId: string;
                /**
                 * @description The call’s id, or a phone number in E.164 format, whose `+` may stand as it is.
                 * @example +14155550100
                 */
                callIdOrPhone: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "callId": "demo-call-2",
                     *       "agentId": "agent_01KB3M5T3Q8RXN2M6J4HB7C0DE",
                     *       "phone": "+14155550100",
                     *       "direction": "inbound",
                     *       "startedAt": "2026-03-01T10:00:00.000Z",
                     *       "endedAt": "2026-03-01T10:03:32.000Z",
                     *       "durationSeconds": 212,
                     *       "status": "completed",
                     *       "custom_call_outcome": "appointment_booked",
                     *       "custom_call_outcome_value": 149.5,
                     *       "custom_call_metadata": {
                     *         "campaign": "spring",
                     *         "agentScore": 4.5
                     *       },
                     *       "outcomeUpdatedAt": "2026-03-02T08:15:00.000Z",
                     *       "outcomeHistory": [
                     *         {
                     *           "at": "2026-03-02T08:15:00.000Z",
                     *           "keyId": "key_01KB3M5T3Q8RXN2M6J4HB7C0DF",
                     *           "fields": [
                     *             "custom_call_outcome",
                     *             "custom_call_outcome_value"
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Call"];
                };
            };
            /**
             * @description A parameter is invalid.
             *
             *     `error` is `invalid_request`.
             */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The key is unknown, or its user may not use this agent.
             *
             *     `error` is `missing_api_key`, `invalid_api_key` or `insufficient_permissions`.
             */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description There is no such call.
             *
             *     `error` is `call_not_found`.
             */
            404: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.
             *
             *     `error` is `rate_limited`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    recordCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The agent.
                 * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
                 */
                agentId: string;
                /**
                 * @description The call’s id: 1 to 128 of `A-Z a-z 0-9 _ . : -`. A phone number is refused.
                 * @example demo-call-2
                 */
                callIdOrPhone: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "phone": "+14155550100",
                 *       "direction": "inbound",
                 *       "startedAt": "2026-03-01T10:00:00.000Z",
                 *       "endedAt": "2026-03-01T10:03:32.000Z",
                 *       "durationSeconds": 212,
                 *       "status": "completed"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The other party’s number, in E.164 format.
                     * @example +14155550100
                     */
                    phone: string;
                    /**
                     * @description Who called: the other party (`inbound`) or the agent (`outbound`).
                     * @example inbound
                     * @enum {string}
                     */
                    direction: "inbound" | "outbound";
                    /**
                     * Format: date-time
                     * @description When the call began.
                     * @example 2026-03-01T10:00:00.000Z
                     */
                    startedAt: string;
                    /**
                     * Format: date-time
                     * @description When it ended.
                     * @example 2026-03-01T10:03:32.000Z
                     */
                    endedAt?: string;
                    /**
                     * @description How long it lasted, in seconds.
                     * @example 212
                     */
                    durationSeconds?: number;
                    /**
                     * @description How it ended, in the telephony’s own word.
                     * @example completed
                     */
                    status?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "callId": "demo-call-2",
                     *       "agentId": "agent_01KB3M5T3Q8RXN2M6J4HB7C0DE",
                     *       "phone": "+14155550100",
                     *       "direction": "inbound",
                     *       "startedAt": "2026-03-01T10:00:00.000Z",
                     *       "endedAt": "2026-03-01T10:03:32.000Z",
                     *       "durationSeconds": 212,
                     *       "status": "completed",
                     *       "custom_call_outcome": "appointment_booked",
                     *       "custom_call_outcome_value": 149.5,
                     *       "custom_call_metadata": {
                     *         "campaign": "spring",
                     *         "agentScore": 4.5
                     *       },
                     *       "outcomeUpdatedAt": "2026-03-02T08:15:00.000Z",
                     *       "outcomeHistory": [
                     *         {
                     *           "at": "2026-03-02T08:15:00.000Z",
                     *           "keyId": "key_01KB3M5T3Q8RXN2M6J4HB7C0DF",
                     *           "fields": [
                     *             "custom_call_outcome",
                     *             "custom_call_outcome_value"
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Call"];
                };
            };
            /**
             * @description The call id or the body is invalid.
             *
             *     `error` is `invalid_request`.
             */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The key is unknown, or its user may not use this agent.
             *
             *     `error` is `missing_api_key`, `invalid_api_key` or `insufficient_permissions`.
             */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The body is too large.
             *
             *     `error` is `payload_too_large`.
             */
            413: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.
             *
             *     `error` is `rate_limited`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateCallOutcome: {
        parameters: {
            query?: {
                /**
                 * @description Which call of a phone number is meant: the earliest (`first`) or the most recent (`last`). Of no effect with a call id.
                 * @example last
                 */
                preference?: "first" | "last";
                /**
                 * @description Whether `custom_call_metadata` replaces what was there, or is merged into it by top-level key.
                 * @example replace
                 */
                metadataMode?: "replace" | "merge";
            };
            header?: never;
            path: {
                /**
                 * @description The agent.
                 * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
                 */
                agentId: string;
                /**
                 * @description The call’s id, or a phone number in E.164 format, whose `+` may stand as it is.
                 * @example +14155550100
                 */
                callIdOrPhone: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "custom_call_outcome": "appointment_booked",
                 *       "custom_call_outcome_value": 149.5,
                 *       "custom_call_metadata": {
                 *         "campaign": "spring",
                 *         "agentScore": 4.5
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CallOutcomeChange"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "call_id": "demo-call-2",
                     *       "agent_id": "agent_01KB3M5T3Q8RXN2M6J4HB7C0DE",
                     *       "phone": "+14155550100",
                     *       "preference": "last",
                     *       "updated_fields": [
                     *         "custom_call_outcome",
                     *         "custom_call_outcome_value"
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Always `true`.
                         * @example true
                         * @constant
                         */
                        success: true;
                        /**
                         * @description The call that was changed.
                         * @example demo-call-2
                         */
                        call_id: string;
                        /**
                         * @description Its agent.
                         * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
                         */
                        agent_id: string;
                        /**
                         * @description The other party’s number of that call.
                         * @example +14155550100
                         */
                        phone: string;
                        /**
                         * @description The preference that was applied.
                         * @example last
                         * @enum {string}
                         */
                        preference: "first" | "last";
                        /**
                         * @description The outcome fields that were set or cleared, in this order.
                         * @example [
                         *       "custom_call_outcome",
                         *       "custom_call_outcome_value"
                         *     ]
                         */
                        updated_fields: ("custom_call_outcome" | "custom_call_outcome_value" | "custom_call_metadata")[];
                    };
                };
            };
            /**
             * @description A parameter or the body is invalid.
             *
             *     `error` is `invalid_request`.
             */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The key is unknown, or its user may not use this agent.
             *
             *     `error` is `missing_api_key`, `invalid_api_key` or `insufficient_permissions`.
             */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description There is no such call.
             *
             *     `error` is `call_not_found`.
             */
            404: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The body is too large.
             *
             *     `error` is `payload_too_large`.
             */
            413: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.
             *
             *     `error` is `rate_limited`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listCalls: {
        parameters: {
            query?: {
                /**
                 * @description Only calls with this number, in E.164 format.
                 * @example +14155550100
                 */
                phone?: string;
                /**
                 * @description How many items at most. Without it, as many as one answer may weigh (5 MB).
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description `nextCursor` of the page before.
                 * @example WyJkZW1vLWNhbGwtMiIsMTIzNDU2Nzg5XQ
                 */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The agent.
                 * @example agent_01KB3M5T3Q8RXN2M6J4HB7C0DE
                 */
                agentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "calls": [
                     *         {
                     *           "callId": "demo-call-2",
                     *           "agentId": "agent_01KB3M5T3Q8RXN2M6J4HB7C0DE",
                     *           "phone": "+14155550100",
                     *           "direction": "inbound",
                     *           "startedAt": "2026-03-01T10:00:00.000Z",
                     *           "endedAt": "2026-03-01T10:03:32.000Z",
                     *           "durationSeconds": 212,
                     *           "status": "completed",
                     *           "custom_call_outcome": "appointment_booked",
                     *           "custom_call_outcome_value": 149.5,
                     *           "custom_call_metadata": {
                     *             "campaign": "spring",
                     *             "agentScore": 4.5
                     *           },
                     *           "outcomeUpdatedAt": "2026-03-02T08:15:00.000Z",
                     *           "outcomeHistory": [
                     *             {
                     *               "at": "2026-03-02T08:15:00.000Z",
                     *               "keyId": "key_01KB3M5T3Q8RXN2M6J4HB7C0DF",
                     *               "fields": [
                     *                 "custom_call_outcome",
                     *                 "custom_call_outcome_value"
                     *               ]
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "nextCursor": "WyJkZW1vLWNhbGwtMiIsMTIzNDU2Nzg5XQ"
                     *     }
                     */
                    "application/json": {
                        /** @description The calls, newest first. */
                        calls: components["schemas"]["Call"][];
                        /**
                         * @description Send it as `cursor` to get the next page. Absent on the last page.
                         * @example WyJkZW1vLWNhbGwtMiIsMTIzNDU2Nzg5XQ
                         */
                        nextCursor?: string;
                    };
                };
            };
            /**
             * @description A parameter is invalid.
             *
             *     `error` is `invalid_request`.
             */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The key is unknown, or its user may not use this agent.
             *
             *     `error` is `missing_api_key`, `invalid_api_key` or `insufficient_permissions`.
             */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.
             *
             *     `error` is `rate_limited`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateCallOutcomes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "custom_call_outcome": "appointment_booked",
                 *           "custom_call_outcome_value": 149.5,
                 *           "custom_call_metadata": {
                 *             "campaign": "spring",
                 *             "agentScore": 4.5
                 *           },
                 *           "agentId": "agent_01KB3M5T3Q8RXN2M6J4HB7C0DE",
                 *           "callIdOrPhone": "+14155550100",
                 *           "preference": "last",
                 *           "metadataMode": "replace"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description 1 to 1,000 changes. */
                    items: components["schemas"]["CallOutcomeItem"][];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "updated": [
                     *         {
                     *           "index": 0,
                     *           "call_id": "demo-call-2",
                     *           "agent_id": "agent_01KB3M5T3Q8RXN2M6J4HB7C0DE",
                     *           "phone": "+14155550100",
                     *           "updated_fields": [
                     *             "custom_call_outcome",
                     *             "custom_call_outcome_value"
                     *           ]
                     *         }
                     *       ],
                     *       "failed": [
                     *         {
                     *           "index": 0,
                     *           "error": "call_not_found",
                     *           "message": "This agent has no such call."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description The items that were carried out, in the order sent. */
                        updated: components["schemas"]["UpdatedOutcome"][];
                        /** @description Those that were not, in the order sent. */
                        failed: components["schemas"]["FailedOutcome"][];
                    };
                };
            };
            /**
             * @description There is no item, or there are more than 1,000.
             *
             *     `error` is `invalid_request`.
             */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The key is unknown, or not for calls.
             *
             *     `error` is `missing_api_key`, `invalid_api_key` or `insufficient_permissions`.
             */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The body is too large.
             *
             *     `error` is `payload_too_large`.
             */
            413: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.
             *
             *     `error` is `rate_limited`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getInvoices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "customerId": "cus_LocalSeveral",
                 *       "startingAfter": "in_bc83b719a3f5c1f9b5f45788"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The customer at the payment provider.
                     * @example cus_LocalSeveral
                     */
                    customerId: string;
                    /**
                     * @description The last invoice of the page before.
                     * @example in_bc83b719a3f5c1f9b5f45788
                     */
                    startingAfter?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Invoices retrieved.",
                     *       "invoices": {
                     *         "object": "list",
                     *         "data": [
                     *           {
                     *             "id": "in_bc83b719a3f5c1f9b5f45788",
                     *             "object": "invoice",
                     *             "amount_due": 4900,
                     *             "amount_paid": 4900,
                     *             "amount_remaining": 0,
                     *             "currency": "usd",
                     *             "customer": "cus_LocalSeveral",
                     *             "date": 1772323200,
                     *             "due_date": null,
                     *             "paid": true,
                     *             "status": "paid",
                     *             "total": 4900
                     *           }
                     *         ],
                     *         "has_more": false,
                     *         "url": "/v1/invoices"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description What was done.
                         * @example Invoices retrieved.
                         */
                        message: string;
                        invoices: components["schemas"]["InvoiceList"];
                    };
                };
            };
            /**
             * @description The customer id is missing, or a field is invalid.
             *
             *     `error` is `invalid_request` or `customer_id_required`.
             */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request does not come from the platform’s own application.
             *
             *     `error` is `unauthorized_origin`.
             */
            403: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The customer is unknown, or has no invoices.
             *
             *     `error` is `invoices_not_found`.
             */
            404: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The body is too large.
             *
             *     `error` is `payload_too_large`.
             */
            413: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.
             *
             *     `error` is `rate_limited`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    buildChat: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "chat-1",
                 *       "messages": [
                 *         {
                 *           "id": "msg-1",
                 *           "role": "user",
                 *           "parts": [
                 *             {
                 *               "type": "text",
                 *               "text": "What can a voice agent of mine do?"
                 *             }
                 *           ]
                 *         }
                 *       ],
                 *       "userId": "visitor-7"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The conversation’s id, chosen by the caller.
                     * @example chat-1
                     */
                    id: string;
                    /** @description The whole conversation so far, ending with what is to be answered. */
                    messages: {
                        /**
                         * @description The message’s id, chosen by the caller.
                         * @example msg-1
                         */
                        id: string;
                        /**
                         * @description Who said it.
                         * @example user
                         * @enum {string}
                         */
                        role: "user" | "assistant";
                        /** @description What it consists of. Parts of the assistant’s are sent back as they came. */
                        parts: {
                            /**
                             * @description What the part is. Of a user’s, `text`.
                             * @example text
                             */
                            type: string;
                            /**
                             * @description What was said.
                             * @example What can a voice agent of mine do?
                             */
                            text?: string;
                        }[];
                    }[];
                    /**
                     * @description Who asks, for the service’s log alone. It gives access to nothing.
                     * @example visitor-7
                     */
                    userId?: string;
                };
            };
        };
        responses: {
            /** @description The answer, piece by piece as it comes about. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example data: {"type":"start"}
                     *
                     *     data: {"type":"text-start","id":"0"}
                     *
                     *     data: {"type":"text-delta","id":"0","delta":"Hello."}
                     *
                     *     data: {"type":"text-end","id":"0"}
                     *
                     *     data: {"type":"finish","finishReason":"stop"}
                     *
                     *     data: [DONE]
                     */
                    "text/event-stream": string;
                };
            };
            /**
             * @description The conversation is not of the right form, or holds something that this service did not issue.
             *
             *     `error` is `invalid_request`.
             */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description A key was sent, and is not valid.
             *
             *     `error` is `invalid_api_key`.
             */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The conversation is larger than 256 KB.
             *
             *     `error` is `payload_too_large`.
             */
            413: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description This address has had too many turns in the last minute, or the day’s tokens are spent.
             *
             *     `error` is `rate_limited` or `chat_budget_exhausted`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error` or `chat_failed`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getOpenapiDocument: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "openapi": "3.1.0",
                     *       "info": {
                     *         "title": "Voice Agent Platform API",
                     *         "version": "1.0.0"
                     *       },
                     *       "paths": {}
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description The version of OpenAPI.
                         * @example 3.1.0
                         */
                        openapi: string;
                        /**
                         * @description What is described.
                         * @example {
                         *       "title": "Voice Agent Platform API",
                         *       "version": "1.0.0"
                         *     }
                         */
                        info: {
                            [key: string]: unknown;
                        };
                        /**
                         * @description The operations, by path and method.
                         * @example {}
                         */
                        paths: {
                            [key: string]: unknown;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /**
             * @description Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.
             *
             *     `error` is `rate_limited`.
             */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.
             *
             *     `error` is `internal_error`.
             */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
