-- Made by `basalt migrate diff`; may be edited before it is first run.

-- create index `idx_subjects_title` on `subjects`
-- for the view rule of rules_back (schema/rules_back.toml:7), the update rule of rules_back (schema/rules_back.toml:9) and 3 more
CREATE INDEX "idx_subjects_title" ON "subjects" ("title");
