-- What lockside's guards send to PostgreSQL. Parameters are written as :name.

-- Row: two columns of the table that is guarded.
ALTER TABLE "accounts" ADD COLUMN "fence" bigint NOT NULL DEFAULT 0;
ALTER TABLE "accounts" ADD COLUMN "cluster" text NOT NULL DEFAULT '';

-- Table: the fence table.
CREATE TABLE "fences" (
	"name" text COLLATE "C" NOT NULL PRIMARY KEY,
	"fence" bigint NOT NULL DEFAULT 0,
	"cluster" text NOT NULL DEFAULT ''
);

-- Trigger: what all triggers of the fence table share.
CREATE FUNCTION "fences_check"() RETURNS trigger LANGUAGE plpgsql AS $lockside$
#variable_conflict use_column
DECLARE
	token bigint := nullif(current_setting('lockside.fence', true), '');
	origin text := coalesce(current_setting('lockside.cluster', true), '');
	seen bigint;
	seen_origin text;
BEGIN
	IF coalesce(token, 0) <= 0 THEN
		RAISE EXCEPTION USING ERRCODE = 'LF000', MESSAGE = 'lockside LF000: the session has told no fencing token';
	END IF;
	SELECT "fence", "cluster" INTO seen, seen_origin FROM "fences" WHERE "name" = TG_ARGV[0] FOR UPDATE;
	IF NOT FOUND THEN
		RAISE EXCEPTION USING ERRCODE = 'LF002', MESSAGE = 'lockside LF002: the fence table has no row for the trigger';
	END IF;
	IF seen > token OR seen_origin <> origin AND (seen > 0 OR seen_origin <> '') THEN
		RAISE EXCEPTION USING ERRCODE = 'LF001', MESSAGE = 'lockside LF001: the greatest fencing token seen is '
			|| seen || CASE seen_origin WHEN '' THEN '' ELSE '@' || seen_origin END;
	END IF;
	IF seen < token THEN
		UPDATE "fences" SET "fence" = token, "cluster" = origin WHERE "name" = TG_ARGV[0];
	END IF;
	RETURN NULL;
END
$lockside$;

-- Trigger: the triggers of a table that is guarded.
INSERT INTO "fences" ("name") VALUES ('nightly') ON CONFLICT DO NOTHING;
CREATE TRIGGER "accounts_fence" BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON "accounts"
FOR EACH STATEMENT EXECUTE FUNCTION "fences_check"('nightly');

-- Trigger: first in a transaction, tell the token.
SELECT set_config('lockside.fence', :fence, true), set_config('lockside.cluster', :cluster, true);

-- Row: write; for a claim without the write. 1 row was admitted.
UPDATE "accounts" SET balance = :balance
, "fence" = :fence, "cluster" = :cluster WHERE "id" = :id AND (coalesce("fence", 0) <= :fence AND coalesce("cluster", '') = :cluster OR coalesce("fence", 0) = 0 AND coalesce("cluster", '') = '');

-- Row: once a grant.
UPDATE "accounts" SET balance = :balance
, "fence" = :fence, "cluster" = :cluster WHERE "id" = :id AND (coalesce("fence", 0) < :fence AND coalesce("cluster", '') = :cluster OR coalesce("fence", 0) = 0 AND coalesce("cluster", '') = '');

-- Row: 0 rows, as the token was not admitted, or there is no such row: look.
SELECT "fence", "cluster" FROM "accounts" WHERE "id" = :id;

-- Table: first in each transaction. 1 row was admitted.
INSERT INTO "fences" AS f ("name", "fence", "cluster") VALUES (:name, :fence, :cluster) ON CONFLICT ("name") DO UPDATE SET "fence" = excluded."fence", "cluster" = excluded."cluster" WHERE (f."fence" <= excluded."fence" AND f."cluster" = excluded."cluster" OR f."fence" = 0 AND f."cluster" = '');

-- Table: once a grant.
INSERT INTO "fences" AS f ("name", "fence", "cluster") VALUES (:name, :fence, :cluster) ON CONFLICT ("name") DO UPDATE SET "fence" = excluded."fence", "cluster" = excluded."cluster" WHERE (f."fence" < excluded."fence" AND f."cluster" = excluded."cluster" OR f."fence" = 0 AND f."cluster" = '');

-- Table: 0 rows, as the token was not admitted, or there is no such row: look.
SELECT "fence", "cluster" FROM "fences" WHERE "name" = :name;
