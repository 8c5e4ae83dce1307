-- Made by `basalt migrate diff`; may be edited before it is first run.

-- add `reports.keeper` (relation)
ALTER TABLE "reports" ADD COLUMN "keeper" TEXT REFERENCES "staff" ("id") ON DELETE SET NULL;

-- create index `idx_reports_keeper` on `reports`
-- relation `keeper`
CREATE INDEX "idx_reports_keeper" ON "reports" ("keeper");
